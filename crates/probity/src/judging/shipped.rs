//! The judge that comes with the program: pixels against a baseline, without a model.

use probity_core::codes::Code;
use probity_core::ids::Id;
use probity_core::judge::{Judge, Mutation, TIMEOUT_MS};
use probity_core::nearest::nearest;

use super::Refused;

/// Its name, where the settings file declares none of that name.
pub(crate) const SHIPPED: &str = "pixels";
/// How the program is written that ships it.
const PROGRAM: &str = "probity";

/// The judge of this name: a declared one, or the shipped one.
///
/// # Errors
/// `judge_unknown`
pub(crate) fn known(name: &str, declared: &[Judge]) -> Result<Judge, Refused> {
    if let Some(judge) = declared.iter().find(|judge| judge.name.as_str() == name) {
        return Ok(with_own_program(judge.clone()));
    }
    if let (SHIPPED, Ok(id)) = (name, Id::parse(SHIPPED)) {
        return Ok(with_own_program(Judge {
            name: id,
            run: [PROGRAM, "judge", SHIPPED].map(str::to_owned).to_vec(),
            by: PROGRAM.to_owned(),
            timeout_ms: TIMEOUT_MS,
            controls: vec![Mutation::Blank],
            pin: None,
            cwd: ".".to_owned(),
            env: Vec::new(),
        }));
    }
    let names = declared.iter().map(|judge| judge.name.as_str()).chain([SHIPPED]);
    let mut refused = Refused::new(Code::JudgeUnknown, format!("there is no judge {name}"));
    if let Some(near) = nearest(name, names) {
        refused.help = format!("did you mean {near}?");
    }
    Err(refused)
}

/// `probity judge pixels` is this program, wherever PATH leads.
fn with_own_program(mut judge: Judge) -> Judge {
    let is_own = judge.run.iter().take(3).map(String::as_str).eq([PROGRAM, "judge", SHIPPED]);
    if let (true, Ok(program)) = (is_own, std::env::current_exe()) {
        judge.run[0] = program.to_string_lossy().into_owned();
    }
    judge
}

/// The command as records write it: no path of this machine.
pub(super) fn as_written(judge: &Judge) -> Vec<String> {
    let mut run = judge.run.clone();
    let is_own = run.iter().skip(1).take(2).map(String::as_str).eq(["judge", SHIPPED]);
    let own = std::env::current_exe()
        .is_ok_and(|program| run.first().is_some_and(|first| program.as_os_str() == first.as_str()));
    if is_own && own {
        run[0] = PROGRAM.to_owned();
    }
    run
}
