//! `qa status`: where requirements stand on a commit. It only tells; the gate decides.

use super::{Desk, Exit, fail_index, standing};
use crate::cli::qa::StatusArgs;
use crate::out::Out;
use crate::{answer, screen};

pub(super) fn status(args: &StatusArgs, out: Out) -> Exit {
    let desk = Desk::of(&args.at, out)?;
    let asked = standing::asked(&desk, &args.fresh, None, out)?;
    let mut index = desk.open(out)?;
    let looked = standing::look(&mut index, &args.ids, &asked).map_err(|error| fail_index(out, &error))?;
    if out.json {
        out.data(&answer::document(&answer::qa::status(&looked, &asked)));
    } else {
        out.data(&screen::qa::status(&looked, &asked, out));
    }
    Ok(0)
}
