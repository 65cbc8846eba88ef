//! The block of `run`.

use std::path::Path;

use probity_core::judged::{Claims, Judged, JudgedCriterion, Reason, Started, Subject};
use probity_core::matrix::Criterion;
use probity_core::verdict::Status;

use super::block::{Block, Tone};
use super::{gaps, verify};
use crate::answer::attempt::Attempt;
use crate::answer::facts::{self, Cleanup};
use crate::answer::finding::handle;
use crate::answer::run::tally;
use crate::answer::site::Site;
use crate::answer::{ASSURANCE, exit, next};
use crate::engine::Finished;
use crate::out::Out;

/// As many criteria are listed one by one.
const LISTED: usize = 60;

/// The last block of a call that made several runs.
pub(crate) fn runs(many: &[(String, Finished)], exit: u8, out: Out) -> String {
    let (worst, counts) = tally(many);
    let tone = match exit {
        0 => Tone::Good,
        3 | 4 | 5 | 130 => Tone::Open,
        _ => Tone::Bad,
    };
    let counts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!("{count} {word}")).collect();
    let mut block = Block::new(out);
    let noun = if many.len() == 1 { "run" } else { "runs" };
    block.verdict(&worst.to_uppercase(), tone, &format!("{} {noun}: {}", many.len(), counts.join(", ")));
    block.line(0, 0, &format!("exit {exit}"));
    block.done()
}

/// The block of a run that came to its end; of one that verification finds broken, it says so.
pub(crate) fn run(done: &Finished, _name: &str, out: Out) -> String {
    let verified = &done.verified;
    let code = exit(verified);
    match verified.judged.as_ref().filter(|_| verified.is_intact() && verified.closed) {
        Some(judged) => of_judged(judged, done, &Site::of(&done.dir), code, out),
        None => verify::verify(verified, &done.dir, &[], code, out),
    }
}

fn of_judged(judged: &Judged, done: &Finished, site: &Site, exit: u8, out: Out) -> String {
    let verified = &done.verified;
    let mut block = Block::new(out);
    let status = judged.status();
    block.verdict(&status.as_str().to_uppercase(), Tone::of(status), &headline(judged, &done.dir));
    match status {
        Status::Passed => all(&mut block, judged),
        Status::Inconclusive | Status::Untested => {
            gaps::numbered(&mut block, judged, site);
            block.line(2, 2, "no other gap is known; close these and run again");
            by_status(&mut block, judged, &|_| false);
        }
        Status::Failed | Status::Blocked => details(&mut block, judged),
    }
    not_claimed(&mut block, judged);
    strength(&mut block, judged);
    subject(&mut block, judged);
    let mut moves = next::of(verified, site);
    if status == Status::Inconclusive {
        // The gaps above say what to do about each.
        moves.retain(|one| one.act == "run");
    }
    block.next(&moves);
    block.end(verified, &site.name, exit)
}

/// What follows the verdict word: the title, the counts, assurance and attempt.
pub(crate) fn headline(judged: &Judged, dir: &Path) -> String {
    let title = judged.audited().checked().title();
    format!("{title}: {}; {ASSURANCE}; {}", counted(judged), Attempt::of(judged, dir).drawn())
}

/// The counts in words: `1 of 4 criteria failed, 3 passed`.
pub(crate) fn counted(judged: &Judged) -> String {
    let counts = judged.counts();
    let total: u64 = counts.iter().sum();
    let noun = if total == 1 { "criterion" } else { "criteria" };
    let [passed, failed, blocked, inconclusive, untested] = counts;
    if judged.status() == Status::Passed {
        return format!("{passed} of {total} {noun}");
    }
    let acted = judged.audited().steps().iter().any(|step| step.observation.is_some());
    if !acted && judged.status() == Status::Blocked {
        return format!("nothing was tested; {blocked} of {total} {noun} blocked");
    }
    let named = [(failed, "failed"), (blocked, "blocked"), (inconclusive, "inconclusive"), (untested, "untested")];
    let mut parts = named.into_iter().filter(|(count, _)| *count > 0);
    let first = parts.next().map_or_else(
        || format!("{passed} of {total} {noun} held, but {}", gap_count(judged)),
        |(count, word)| format!("{count} of {total} {noun} {word}"),
    );
    let passes = (passed > 0 && !first.contains("held")).then(|| format!("{passed} passed"));
    let rest = parts.map(|(count, word)| format!("{count} {word}")).chain(passes);
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join(", ")
}

fn gap_count(judged: &Judged) -> String {
    match judged.reasons().len() {
        1 => "1 gap forbids a claim".to_owned(),
        count => format!("{count} gaps forbid a claim"),
    }
}

/// Every criterion with its text and evidence.
fn all(block: &mut Block, judged: &Judged) {
    let rows = facts::criteria(judged);
    let columns = Columns::of(&rows);
    for (criterion, planned) in rows.iter().take(LISTED) {
        columns.row(block, criterion, planned);
    }
    if rows.len() > LISTED {
        block.line(2, 2, &format!("passed  and {} more: see probity report", rows.len() - LISTED));
    }
}

struct Columns {
    id: usize,
    needs: usize,
}

impl Columns {
    fn of(rows: &[(&JudgedCriterion, &Criterion)]) -> Self {
        let widest = |lengths: &mut dyn Iterator<Item = usize>, largest: usize| lengths.max().unwrap_or(0).min(largest);
        Self {
            id: widest(&mut rows.iter().map(|(criterion, _)| criterion.id.as_str().len()), 20),
            needs: widest(&mut rows.iter().map(|(_, planned)| planned.needs.join(" ").len()), 20),
        }
    }

    fn row(&self, block: &mut Block, criterion: &JudgedCriterion, planned: &Criterion) {
        let word = if criterion.status == Status::Passed {
            "passed".to_owned()
        } else {
            criterion.status.as_str().to_uppercase()
        };
        let head = format!(
            "{word}  {:<id$}  {:<needs$}  ",
            criterion.id,
            planned.needs.join(" "),
            id = self.id,
            needs = self.needs
        );
        let evidence: Vec<String> = criterion.steps.iter().take(12).map(|position| handle(*position)).collect();
        let more = if criterion.steps.len() > 12 { " ..." } else { "" };
        let hang = (2 + head.chars().count()).min(40);
        block.line(2, hang, &format!("{head}{}  {}{more}", planned.text, evidence.join(" ")));
    }
}

/// Reasons about the run first, then each criterion that did not pass with its own, then the others by status.
fn details(block: &mut Block, judged: &Judged) {
    for one in judged.reasons().iter().filter(|reason| reason.subjects.is_empty()) {
        gaps::reason(block, judged, one, 2);
        if judged.status() == Status::Blocked {
            consequence(block, judged, one);
        }
    }
    let rows = facts::criteria(judged);
    let columns = Columns::of(&rows);
    let mut told: Vec<&Reason> = Vec::new();
    let mut listed = Vec::new();
    for (criterion, planned) in rows.iter().filter(|(criterion, _)| criterion.status != Status::Passed) {
        let id = criterion.id.to_string();
        let mine: Vec<&Reason> = judged.reasons().iter().filter(|reason| reason.subjects.contains(&id)).collect();
        // That it could not be tested follows from what kept the run from being made.
        let mine: Vec<&Reason> = mine.into_iter().filter(|reason| !gaps::follows(judged, reason)).collect();
        if mine.is_empty() || listed.len() >= LISTED {
            continue;
        }
        listed.push(criterion.id.clone());
        columns.row(block, criterion, planned);
        for one in mine {
            if told.contains(&one) {
                let place = one.subjects.first().map_or("", String::as_str);
                block.line(6, 10, &format!("{}   as for {place}", one.code));
            } else {
                gaps::reason(block, judged, one, 6);
                told.push(one);
            }
        }
    }
    by_status(block, judged, &|criterion| listed.contains(&criterion.id));
}

/// What a reason about the runtime means for everything else.
fn consequence(block: &mut Block, judged: &Judged, reason: &Reason) {
    use probity_core::codes::Code;
    let away = matches!(
        reason.code,
        Code::PreflightBlocked | Code::NetworkDenied | Code::PortOccupied | Code::ServiceNotReady
    );
    // A service that was there for a while may have answered steps.
    if away && judged.audited().runtime().services.lost.is_empty() {
        let environment = judged.audited().checked().environment();
        let name = environment.name.as_ref().map_or_else(String::new, |name| format!(", through environment {name}"));
        let steps = judged.audited().steps().len();
        let noun = if steps == 1 { "the 1 step".to_owned() } else { format!("all {steps} steps") };
        block.line(6, 6, &format!("needed by  {noun}{name}"));
        block.line(6, 6, "this says nothing about the product: no answer was seen");
    }
}

/// The criteria that are not told apart, one row a status.
fn by_status(block: &mut Block, judged: &Judged, told: &dyn Fn(&JudgedCriterion) -> bool) {
    let order = [Status::Failed, Status::Blocked, Status::Inconclusive, Status::Untested, Status::Passed];
    for status in order {
        let ids: Vec<&str> = judged
            .criteria()
            .iter()
            .filter(|criterion| criterion.status == status && !told(criterion))
            .map(|criterion| criterion.id.as_str())
            .collect();
        if ids.is_empty() {
            continue;
        }
        let word = if status == Status::Passed { "passed".to_owned() } else { status.as_str().to_uppercase() };
        let shown = ids.iter().take(LISTED).copied().collect::<Vec<_>>().join("  ");
        let more = if ids.len() > LISTED { format!("  and {} more", ids.len() - LISTED) } else { String::new() };
        block.row(2, &word, 2 + word.len() + 2, &format!("{shown}{more}"));
    }
}

/// Lines of the requirement that nobody tests, on purpose.
fn not_claimed(block: &mut Block, judged: &Judged) {
    let matrix = judged.audited().checked().matrix();
    for (rows, phrase) in [(&matrix.out_of_scope, "out of scope"), (&matrix.later, "put off")] {
        let Some(first) = rows.first() else { continue };
        let lines = if rows.len() == 1 { "1 line is".to_owned() } else { format!("{} lines are", rows.len()) };
        let more = if rows.len() > 1 { " and more" } else { "" };
        block.row(2, "not claimed", 16, &format!("{lines} {phrase}: \"{}\"{more}", first.text));
    }
}

/// How much stands behind the verdict.
pub(crate) fn strength(block: &mut Block, judged: &Judged) {
    block.row(0, "strength", 10, &strength_words(judged));
}

/// The same in words.
pub(crate) fn strength_words(judged: &Judged) -> String {
    let claims = judged.claims();
    let total = claims.observed + claims.witnessed + claims.reported;
    let noun = if total == 1 { "claim" } else { "claims" };
    let split = if total == 0 { String::new() } else { format!(": {}", split(claims)) };
    let cleanup = match Cleanup::of(judged) {
        Cleanup::None => "nothing to clean up",
        Cleanup::Complete => "cleanup complete",
        Cleanup::Incomplete => "cleanup INCOMPLETE",
    };
    let weakening = if judged.weakenings().is_empty() { "no weakening".to_owned() } else { weakening(judged) };
    format!("{total} {noun}{split}; {weakening}; {cleanup}; {ASSURANCE}")
}

/// The claims by the class of their evidence: `13 observed, 1 reported`.
pub(crate) fn split(claims: Claims) -> String {
    let named = [(claims.observed, "observed"), (claims.witnessed, "witnessed"), (claims.reported, "reported")];
    let parts: Vec<String> =
        named.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if parts.is_empty() { "no claim".to_owned() } else { parts.join(", ") }
}

/// What caps the claim, by name.
pub(crate) fn weakening(judged: &Judged) -> String {
    if judged.weakenings().is_empty() {
        return "none".to_owned();
    }
    let each = judged.weakenings().iter().map(|one| format!("{} ({})", one.name, one.message));
    format!("WEAKENED: {}", each.collect::<Vec<_>>().join(", "))
}

/// What was tested, and under which terms.
fn subject(block: &mut Block, judged: &Judged) {
    block.row(0, "subject", 10, &subject_words(judged));
    block.row(0, "terms", 10, &judged.conditions().join("; "));
}

/// What was tested, in words: work tree, plan, and the build that the system named.
pub(crate) fn subject_words(judged: &Judged) -> String {
    let opened = judged.audited().recorded().opened();
    let mut parts = Vec::new();
    match &opened.git {
        Some(git) => {
            let short = |text: &str| text.chars().take(7).collect::<String>();
            let state = if git.dirty { "CHANGED since" } else { "clean" };
            parts.push(format!("tree {} (commit {}, {state})", short(&git.tree), short(&git.commit)));
            parts.push(
                match git.plan_changed {
                    Some(true) => "plan CHANGED in this change",
                    Some(false) => "plan as at the merge base",
                    None => "no merge base to compare the plan with",
                }
                .to_owned(),
            );
        }
        None => parts.push("no work tree".to_owned()),
    }
    parts.push(match judged.subject() {
        Subject::Identity(build) => format!("the service named build {build} before and after"),
        Subject::Started(started) => {
            let named = |one: &Started| format!("{} (sha256 {})", one.name, one.sha256.short());
            let first: Vec<String> = started.iter().take(3).map(named).collect();
            format!("the run started {}", first.join(", "))
        }
        Subject::Declared => "the service names no build".to_owned(),
    });
    parts.join("; ")
}
