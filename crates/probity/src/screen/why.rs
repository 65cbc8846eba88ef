//! The block of `why`: the gaps of a run, numbered, with what closes them.

use std::path::Path;

use probity_core::judged::Judged;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::block::{Block, Tone};
use super::gaps;
use super::run::{headline, strength};
use crate::answer::site::Site;
use crate::out::Out;

/// The block of a closed run.
pub(crate) fn why(verified: &Verified, judged: &Judged, dir: &Path, exit: u8, out: Out) -> String {
    let site = Site::of(dir);
    let mut block = Block::new(out);
    let status = judged.status();
    block.verdict(&status.as_str().to_uppercase(), Tone::of(status), &headline(judged, dir));
    if status == Status::Passed {
        block.line(2, 2, "nothing forbids the claim");
    } else {
        gaps::numbered(&mut block, judged, &site);
        block.line(2, 2, "no other gap is known; close these and run again");
    }
    strength(&mut block, judged);
    block.end(verified, &site.name, exit)
}
