//! The blocks of `qa` (ux.md section 1): the verdict word first, what is not fine in upper case, codes before sentences.

use probity_core::codes::Code;
use probity_core::qa::gate::{Asked, Gate, Hold, Looked};
use probity_core::qa::{Blocking, Decision, NewRun, Phase, QaRun, Requirement, Source, Terms, Waiver};
use probity_core::success_policy::Outcome;
use probity_core::verdict::QaVerdict;
use probity_store::index::{Recorded, Required};

use super::block::{Block, Tone};
use super::policy::word;
use crate::answer::next::Move;
use crate::answer::qa::{changes, commit, next, nothing_required, policy, recorded_word, short_commit, time};
use crate::out::Out;

/// The column where rows begin to say something.
const COLUMN: usize = 14;
/// So many runs or met requirements are named.
const NAMED: usize = 12;

fn ended(block: Block, exit: u8) -> String {
    format!("{}exit {exit}\n", block.done())
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The block of `qa require`.
pub(crate) fn required(requirement: &Requirement, required: &Required, out: Out) -> String {
    let mut block = Block::new(out);
    let version = required.version();
    let (word, by) = match required {
        Required::New(_) => ("ENTERED", format!(", by {}", version.by)),
        Required::Changed { .. } => ("CHANGED", format!(", by {}", version.by)),
        Required::Same(_) => ("UNCHANGED", format!(", by {} at {}", version.by, time(version.at))),
    };
    block.verdict(
        word,
        Tone::Good,
        &format!("{}   {}   version {}{by}", requirement.id, requirement.kind, version.version),
    );
    if let Required::Changed { from, to } = required {
        for (field, from, to) in changes(from, to) {
            block.row(2, field, COLUMN + 4, &format!("{from} -> {to}"));
        }
        block.row(2, "because", COLUMN + 4, version.reason.as_deref().unwrap_or_default());
    } else {
        terms(&mut block, &version.terms);
    }
    ended(block, 0)
}

fn terms(block: &mut Block, terms: &Terms) {
    block.row(2, "asks for", COLUMN, &policy(terms));
    let holds = if terms.blocking == Blocking::Blocking { "holds it up" } else { "holds nothing up" };
    block.row(2, "falls due", COLUMN, &format!("{}, and {holds}", terms.phase.as_str()));
    let reported = if terms.accept_reported { "observed and reported runs" } else { "observed runs" };
    let on = terms.target_env.as_ref().map_or_else(String::new, |env| format!(" on {env}"));
    let plan = terms.plan.as_ref().map_or_else(String::new, |plan| format!("; probity run {plan} records them"));
    block.row(2, "counts", COLUMN, &format!("{reported}{on}{plan}"));
}

/// The block of `qa record`.
pub(crate) fn recorded(run: &NewRun, recorded: Recorded, out: Out) -> String {
    let mut block = Block::new(out);
    let word = match recorded {
        Recorded::New(_) => "RECORDED",
        Recorded::Completed(_) => "COMPLETED",
        Recorded::Same(_) => "UNCHANGED",
    };
    let verdict = run.said.verdict.map_or("no verdict yet", QaVerdict::as_str);
    let what = format!("{}   run {} ({})   {verdict}", run.requirement, recorded.n(), recorded_word(recorded));
    block.verdict(word, Tone::Good, &what);
    let whose = match run.source {
        Source::Observed => format!("observed by {}", run.by),
        Source::Reported => format!("reported by {}: it counts only where the requirement accepts that", run.by),
    };
    block.row(2, "source", COLUMN, &whose);
    block.row(2, "commit", COLUMN, &commit(run.said.commit.as_deref(), run.said.tree));
    if let (Some(run), Some(seal)) = (&run.run, &run.seal) {
        block.row(2, "run", COLUMN, &format!("{run}  seal {seal}"));
    }
    for one in &run.said.artifacts {
        let digest = one.sha256.to_string();
        block.row(2, "kept", COLUMN, &format!("{}   {} bytes   sha256 {}..", one.name, one.size, &digest[..16]));
    }
    if run.said.verdict.is_none() {
        block.row(2, "key", COLUMN, &format!("{}: the verdict comes with the same key", run.key));
    }
    ended(block, 0)
}

/// The block of `qa waive`.
pub(crate) fn waived(waiver: &Waiver, out: Out) -> String {
    let mut block = Block::new(out);
    block.verdict("WAIVED", Tone::Open, &format!("{}   version {}", waiver.requirement, waiver.version));
    waiver_rows(&mut block, 2, waiver);
    block.row(2, "void", COLUMN, "when what is required changes; every gate that it opens says it");
    ended(block, 0)
}

fn waiver_rows(block: &mut Block, indent: usize, waiver: &Waiver) {
    block.row(indent, "by", COLUMN, &format!("{}, unsigned", waiver.by));
    block.row(indent, "because", COLUMN, &waiver.reason);
    let on = waiver.commit.as_deref().map_or_else(String::new, |commit| format!(", on {} alone", short_commit(commit)));
    block.row(indent, "until", COLUMN, &format!("{}{on}", time(waiver.until)));
}

/// The block of `qa list`.
pub(crate) fn list(runs: &[QaRun], out: Out) -> String {
    let mut block = Block::new(out);
    block.verdict("RUNS", Tone::Open, &format!("{}, the newest first", counted(runs.len(), "run")));
    let wide = runs.iter().map(|run| run.new.requirement.chars().count()).max().unwrap_or(0).clamp(11, 30);
    for run in runs {
        let said = &run.new.said;
        let verdict = match said.verdict {
            Some(QaVerdict::Pass) => "pass",
            Some(QaVerdict::Fail) => "FAIL",
            Some(QaVerdict::Undetermined) => "UNDETERMINED",
            Some(QaVerdict::Error) => "ERROR",
            None => "PENDING",
        };
        let id = probity_core::inert::shortened(&run.new.requirement, wide);
        let (n, at) = (run.n, time(run.at));
        let at = &at[..at.len().min(16)];
        let source = run.new.source.as_str();
        let commit = commit(said.commit.as_deref(), said.tree);
        let line = format!("{verdict:<12}  {id:<wide$}  {n:>4}  {at}  {source:<8}  {commit}");
        block.line(2, 6, &line);
        if let Some(why) = &said.reason {
            block.line(6, 6, why);
        }
    }
    ended(block, 0)
}

fn on(asked: &Asked) -> String {
    match asked.commits.as_slice() {
        [] => "on no commit".to_owned(),
        [one] => format!("on {}", short_commit(one)),
        more => format!("on {} commits", more.len()),
    }
}

/// The block of `qa status`.
pub(crate) fn status(gate: &Gate, asked: &Asked, out: Out) -> String {
    let mut block = Block::new(out);
    let (unmet, all) = (gate.looked.iter().filter(|one| one.hold != Hold::Met).count(), gate.looked.len());
    let (verdict, tone) = match gate.looked.as_slice() {
        [] => word(Outcome::Undetermined),
        [one] if one.hold == Hold::Waived => ("WAIVED", Tone::Open),
        [one] if one.code == Code::NewestContradicts => word(Outcome::Failed),
        [one] => word(one.outcome),
        _ if unmet == 0 => word(Outcome::Satisfied),
        _ => ("UNMET", Tone::Open),
    };
    let of = if all > 1 && unmet > 0 { format!("{unmet} of ") } else { String::new() };
    block.verdict(verdict, tone, &format!("{of}{} {}", counted(all, "requirement"), on(asked)));
    gate.looked.iter().for_each(|one| row(&mut block, one));
    let moves = moves(gate, |one| one.hold != Hold::Met);
    block.next(&moves);
    ended(block, 0)
}

/// The block of `qa gate`.
pub(crate) fn gate(gate: &Gate, asked: &Asked, decision: &Decision, out: Out) -> String {
    let mut block = Block::new(out);
    let (verdict, tone) = match gate.exit() {
        0 => ("OPENED", Tone::Good),
        7 => ("REFUSED", Tone::Bad),
        _ => ("UNDECIDED", Tone::Open),
    };
    let phase = asked.phase.map_or("all phases", Phase::as_str);
    let (held, all) = (gate.blocking().count(), gate.looked.len());
    let waivers = gate.looked.iter().filter(|one| one.hold == Hold::Waived).count();
    let what = if gate.is_empty() {
        "nothing is required, and nothing is not a pass".to_owned()
    } else if gate.capped() {
        format!("open only because of {}", counted(waivers, "waiver"))
    } else if gate.ok() {
        "nothing is in the way".to_owned()
    } else {
        format!("{held} of {} in the way", counted(all, "requirement"))
    };
    block.verdict(verdict, tone, &format!("{phase} {}   {what}", on(asked)));
    for one in gate.looked.iter().filter(|one| one.hold != Hold::Met) {
        row(&mut block, one);
    }
    let met: Vec<&str> =
        gate.looked.iter().filter(|one| one.hold == Hold::Met).map(|one| one.version.requirement.as_str()).collect();
    if !met.is_empty() {
        let more = if met.len() > NAMED { format!(" and {} more", met.len() - NAMED) } else { String::new() };
        block.row(2, "satisfied", 16, &format!("{}{more}", met[..met.len().min(NAMED)].join("  ")));
    }
    let digest = decision.sha256.to_string();
    block.row(2, "decision", 16, &format!("{}   sha256 {}..", decision.key, &digest[..16]));
    let moves = if gate.is_empty() { vec![nothing_required()] } else { moves(gate, |one| one.hold.blocks()) };
    block.next(&moves);
    ended(block, gate.exit())
}

/// At most three, of the worst.
fn moves(gate: &Gate, wanted: impl Fn(&Looked) -> bool) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for one in gate.looked.iter().filter(|one| wanted(one)).map(next) {
        if !moves.iter().any(|known| known.how == one.how) {
            moves.push(one);
        }
    }
    moves.truncate(3);
    moves
}

fn row(block: &mut Block, one: &Looked) {
    let head = match (one.hold, one.outcome) {
        (Hold::Waived, _) => "WAIVED",
        (Hold::Met, _) => "satisfied",
        (_, Outcome::Undetermined) => "UNDETERMINED",
        (_, Outcome::InvalidPolicy) => "INVALID",
        (Hold::NotBlocking, Outcome::Satisfied) => "satisfied",
        (_, Outcome::Failed | Outcome::Satisfied) => "FAILED",
    };
    let free = if one.hold == Hold::NotBlocking { " (holds nothing up)" } else { "" };
    let id = &one.version.requirement;
    block.row(2, head, 16, &format!("{id}{free}   {}   {}", one.code, one.why));
    if let Some(waiver) = &one.waiver {
        let text = format!("by {} until {}: {}", waiver.by, time(waiver.until), waiver.reason);
        block.row(6, "waiver", 16, &text);
    }
    for warning in &one.warnings {
        block.row(6, "warning", 16, &format!("{}   {}", warning.code, warning.message));
    }
}
