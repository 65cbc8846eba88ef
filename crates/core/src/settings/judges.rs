//! `judges` of the settings file: the programs that judge what rules cannot.

use super::{list, services, text};
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::Node;
use crate::ids::{Digest, Id};
use crate::inert::shortened;
use crate::judge::{Judge, Mutation, TIMEOUT_MS};
use crate::recorded::leaves_folder;
use crate::units;

/// Reads the judges of the settings file. The allow list of commands does not apply to them: no plan names a judge, the
/// person who keeps the settings does.
pub(super) fn judges(node: &Node, diags: &mut Diagnostics) -> Vec<Judge> {
    let mut judges: Vec<Judge> = Vec::new();
    for (key, row) in node.get("judges").and_then(Node::as_map).unwrap_or_default() {
        let before = diags.len();
        let Ok(name) = Id::parse(&key.name) else {
            let message = format!("`{}` cannot be the name of a judge", shortened(&key.name, 60));
            let help = "use letters, digits, dot, underscore and hyphen, beginning with a letter or digit";
            diags.error(Code::IdMalformed, key.place, message, help);
            continue;
        };
        if judges.iter().any(|known| known.name.folded() == name.folded()) {
            let message = format!("two judges have the name `{name}`");
            diags.error(Code::IdDuplicate, key.place, message, "rename one of them");
        }
        judges.extend(judge(name, row, diags));
        diags.subject_since(before, &key.name);
    }
    judges
}

fn judge(name: Id, row: &Node, diags: &mut Diagnostics) -> Option<Judge> {
    let run: Vec<String> = list(row, "run").iter().filter_map(|word| word.as_text().map(str::to_owned)).collect();
    let run_at = row.get("run")?.place;
    if run.first().is_none_or(String::is_empty) {
        diags.error(Code::MissingField, run_at, "`run` names no program", "name it first");
        return None;
    }
    if services::is_shell_text(&run) {
        let help = "write the program and its arguments, or put the line into a script of the project";
        diags.error(Code::CommandShell, run_at, "`run` hands a line to a shell", help);
    }
    let by = row.get("by")?;
    let who = by.as_text().unwrap_or_default().trim().to_owned();
    if who.is_empty() {
        let help = "name the model, person or team that answers for the judgement";
        diags.error(Code::ValueOutOfRange, by.place, "`by` names nobody", help);
    }
    let cwd = text(row, "cwd").unwrap_or_else(|| ".".to_owned());
    if let Some(place) = row.get("cwd").map(|node| node.place).filter(|_| leaves_folder(&cwd)) {
        let message = format!("the working folder `{}` lies outside the project", shortened(&cwd, 80));
        diags.error(Code::CommandPathOutside, place, message, "name a folder inside the project");
    }
    let pin = row.get("pin").and_then(|node| Some((node.as_text()?, node.place)));
    if let Some((_, place)) = pin.filter(|(written, _)| Digest::parse(written).is_none()) {
        let help = "copy the digest that probity judge list shows";
        diags.error(Code::ValueOutOfRange, place, "`pin` is no digest of 64 digits", help);
    }
    let words = list(row, "controls").iter().filter_map(|word| word.as_text().and_then(Mutation::parse));
    let mut controls: Vec<Mutation> = words.collect();
    controls.dedup();
    Some(Judge {
        name,
        run,
        by: who,
        timeout_ms: text(row, "timeout").and_then(|time| units::duration_ms(&time).ok()).unwrap_or(TIMEOUT_MS),
        controls: if controls.is_empty() { vec![Mutation::Blank] } else { controls },
        pin: pin.and_then(|(written, _)| Digest::parse(written)),
        cwd,
        env: services::environment(row, diags),
    })
}
