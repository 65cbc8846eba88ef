//! `why`: what stands between a run and a pass.

use probity_core::verify::Verified;

use super::locate;
use crate::cli::OneRun;
use crate::out::Out;
use crate::{answer, derive, screen};

/// Says what forbids the claim.
pub(crate) fn why(args: &OneRun, out: Out) -> u8 {
    let dir = match locate(out, args.run.as_deref(), args.out.as_ref()) {
        Ok(dir) => dir,
        Err(exit) => return exit,
    };
    let verified = derive::verify(&dir, None, None);
    if let Some(exit) = refused(&verified, &dir, out) {
        return exit;
    }
    match verified.judged.as_ref().filter(|_| verified.closed || out.json) {
        Some(_) if out.json => out.data(&answer::document(&answer::why::why(&verified, &dir, 0))),
        Some(judged) => out.data(&screen::why::why(&verified, judged, &dir, 0, out)),
        None => out.data(&screen::verify::verify(&verified, &dir, &[], 0, out)),
    }
    0
}

/// Refuses a broken run, in the words of `verify`. Where only views differ the derivation still counts, and a warning
/// says so.
pub(crate) fn refused(verified: &Verified, dir: &std::path::Path, out: Out) -> Option<u8> {
    if verified.only_views_differ() {
        out.warn("views of this run are not what its journal gives; this answer comes from the journal");
        return None;
    }
    if verified.is_intact() && (verified.judged.is_some() || !out.json) {
        return None;
    }
    let exit = if verified.is_intact() { 5 } else { 6 };
    if out.json {
        out.data(&answer::document(&answer::verify::verify(verified, dir, &[], exit)));
    } else {
        out.data(&screen::verify::verify(verified, dir, &[], exit, out));
    }
    Some(exit)
}
