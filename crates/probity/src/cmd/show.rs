//! `show`: a criterion, case, step or piece of evidence of a run, with request, answer and checks.

use probity_core::codes::Code;
use probity_store::snapshot::{Budget, Snapshot};

use super::{fail, locate};
use crate::cli::ShowArgs;
use crate::out::Out;
use crate::{answer, derive, screen};

/// Shows a part of a run.
pub(crate) fn show(args: &ShowArgs, out: Out) -> u8 {
    let (run, id) = match args.words.as_slice() {
        [run, id] => (Some(run.as_str()), id.as_str()),
        [id] => (None, id.as_str()),
        _ => return fail(out, Code::UsageError, "show takes an id, and before it a run", "see probity show --help"),
    };
    let dir = match locate(out, run, args.out.as_ref()) {
        Ok(dir) => dir,
        Err(exit) => return exit,
    };
    let verified = derive::verify(&dir, None, None);
    if let Some(exit) = super::why::refused(&verified, &dir, out) {
        return exit;
    }
    let Some(judged) = &verified.judged else {
        return fail(out, Code::IdUnknown, "nothing could be worked out of this run", "see probity verify");
    };
    let subject = match answer::show::find(judged, id) {
        Ok(subject) => subject,
        Err(near) => {
            let help = near.map_or_else(
                || Code::IdUnknown.explanation().remedy.to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return fail(
                out,
                Code::IdUnknown,
                &format!("{id}: the run has no criterion, case, step or evidence of this id"),
                &help,
            );
        }
    };
    let snapshot = Snapshot::of_folder(&dir, &Budget::default()).ok();
    let evidence = |digest: &probity_core::ids::Digest| snapshot.as_ref()?.evidence(digest).ok();
    if out.json {
        let value = answer::show::show(&verified, judged, &subject, &evidence, &dir, args.max_bytes);
        out.data(&answer::document(&value));
    } else {
        out.data(&screen::show::show(&verified, judged, &subject, &evidence, &dir, out));
    }
    0
}
