//! Success policies on the screen (ux.md 1.4).

use probity_core::success_policy::{Invalid, Outcome, Policy, at_half, detail, turns};

use super::block::{Block, Tone};
use crate::answer::policy::{Judgement, counted, counts_as, help, named, next, sentence, turned};
use crate::answer::statistics;
use crate::cmd::policy::{Shown, Source};
use crate::out::Out;

/// So many runs are shown.
const ROWS: usize = 5;
/// The column where rows begin to say something.
const COLUMN: usize = 14;

/// The verdict word of an outcome.
pub(crate) const fn word(outcome: Outcome) -> (&'static str, Tone) {
    match outcome {
        Outcome::Satisfied => ("SATISFIED", Tone::Good),
        Outcome::Failed => ("FAILED", Tone::Bad),
        Outcome::Undetermined => ("UNDETERMINED", Tone::Open),
        Outcome::InvalidPolicy => ("INVALID", Tone::Bad),
    }
}

/// The block of `policy eval`.
pub(crate) fn eval(judgement: &Judgement<'_>, out: Out) -> String {
    let mut block = begun(judgement, out);
    warned(&mut block, judgement);
    block.next(&next(judgement));
    ended(block, judgement.exit())
}

/// The block of `policy explain`.
pub(crate) fn explain(judgement: &Judgement<'_>, shown: &[Shown], all: bool, out: Out) -> String {
    let mut block = begun(judgement, out);
    rows(&mut block, judgement, shown, all);
    if let Some(planned) = judgement.state.planned(judgement.policy).filter(|planned| planned.series.len() > 1) {
        block.row(2, "series", COLUMN, &statistics::series(&planned));
    }
    how_sure(&mut block, judgement);
    warned(&mut block, judgement);
    for (position, turn) in turns(judgement.policy, &judgement.state).iter().enumerate() {
        let head = if position == 0 { "would turn" } else { "" };
        block.row(2, head, COLUMN, &turned(judgement, turn));
    }
    block.next(&next(judgement));
    ended(block, judgement.exit())
}

fn begun(judgement: &Judgement<'_>, out: Out) -> Block {
    let mut block = Block::new(out);
    let (word, tone) = word(judgement.outcome());
    let digest = judgement.source.sha256().to_string();
    let version = if judgement.policy.is_statistics() { "statistics v1" } else { "v1" };
    let policy = format!("policy {}..{}, {version}", &digest[..4], &digest[62..]);
    block.verdict(word, tone, &format!("{}   {}   {policy}", judgement.subject(), named(judgement.policy)));
    let reason = sentence(judgement.policy, &judgement.state);
    block.row(2, "reason", COLUMN, &format!("{}   {reason}", judgement.reason));
    block.row(2, "counted", COLUMN, &counted_words(judgement));
    let others = match judgement.offered.others {
        0 => String::new(),
        others => format!("; {others} of other requirements are left out"),
    };
    block.row(2, "offered", COLUMN, &format!("{}{others}", counted(judgement.offered.runs, "run")));
    block
}

/// Which runs count, and which do not, by the rules of the type.
fn counted_words(judgement: &Judgement<'_>) -> String {
    let counts = judgement.state.counts();
    let [pass, fail, error] = [(counts.pass, "pass"), (counts.fail, "fail"), (counts.error, "error")];
    let [undetermined, pending] = [(counts.undetermined, "undetermined"), (counts.pending, "pending")];
    let said = |items: &[(u64, &str)]| {
        items.iter().map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    let (counted, left) = match judgement.policy {
        Policy::Statistical { .. } | Policy::Wilson { .. } | Policy::Sprt(_) | Policy::PassK { .. } => {
            (said(&[pass, fail, error]), vec![undetermined, pending])
        }
        Policy::PlannedRuns { .. } => (said(&[pass, fail, error, undetermined]), vec![pending]),
        Policy::AgentJudgment { .. } => (said(&[pass, fail, undetermined]), vec![error, pending]),
        Policy::VerdictPass | Policy::Check { .. } | Policy::Threshold { .. } | Policy::Composite { .. } => {
            let (yes, no) = (judgement.state.yes(), judgement.state.no());
            let without = (counts.pass + counts.fail - yes - no, "without the value");
            (said(&[(yes, "for"), (no, "against")]), vec![without, undetermined, error, pending])
        }
    };
    let left: Vec<(u64, &str)> = left.into_iter().filter(|(count, _)| *count > 0).collect();
    let left = if left.is_empty() { "0".to_owned() } else { said(&left) };
    format!("{counted}   left out  {left}")
}

fn rows(block: &mut Block, judgement: &Judgement<'_>, shown: &[Shown], all: bool) {
    if shown.is_empty() {
        return;
    }
    let taken = if all { shown.len() } else { shown.len().min(ROWS) };
    let wide = shown[..taken].iter().map(|one| one.name.chars().count()).max().unwrap_or(0).clamp(4, 40);
    let line = |name: &str, class: &str, at: &str, counts: &str, more: &str| {
        format!("{name:<wide$}  {class:<12}  {at:<16}  {counts:<7}  {more}")
    };
    block.line(4, 8, &line("run", "verdict", "at", "counts", ""));
    for one in &shown[..taken] {
        let name = probity_core::inert::shortened(&one.name, wide);
        let at = one.at.as_deref().map(short_time).unwrap_or_default();
        let class = one.seen.class;
        block.line(
            4,
            8,
            &line(&name, class.as_str(), &at, counts_as(class, one.seen.holds), &more(judgement.policy, one)),
        );
    }
    let left = judgement.state.runs() - taken as u64;
    if left > 0 {
        block.line(4, 8, &if all { format!("{left} more are older") } else { format!("{left} more: --all") });
    }
}

/// Values with their bounds, and why the verdict is what it is.
fn more(policy: &Policy, shown: &Shown) -> String {
    let by_verdict = matches!(policy, Policy::VerdictPass | Policy::Statistical { .. }) || policy.is_statistics();
    let looked = detail(policy, &shown.run).into_iter().filter(|_| !by_verdict).map(|one| {
        let value = one.value.unwrap_or_else(|| "missing".to_owned());
        let holds = match one.holds {
            Some(true) => "holds",
            Some(false) => "DOES NOT HOLD",
            None => "cannot be told",
        };
        format!("{} {value}, bound {}: {holds}", one.what, one.bound)
    });
    looked.chain(shown.note.clone()).collect::<Vec<_>>().join("; ")
}

/// `11-30 14:02` of this form; another text as it stands.
fn short_time(at: &str) -> String {
    let form = probity_core::success_policy::Time::parse(at).and(at.get(5..16));
    form.map_or_else(|| probity_core::inert::shortened(at, 16).into_owned(), |short| short.replace('T', " "))
}

fn how_sure(block: &mut Block, judgement: &Judgement<'_>) {
    let so_far = if judgement.outcome() == Outcome::Undetermined { " so far" } else { "" };
    let all = match judgement.policy {
        Policy::PassK { k, .. } => format!(" of all {k} passing"),
        _ => String::new(),
    };
    let between = judgement
        .interval()
        .map(|(i, level)| format!("{level} interval{all} {:.2} to {:.2}{so_far}", i.low(), i.high()));
    let again = match judgement.state.planned(judgement.policy) {
        Some(planned) if planned.full > 1 => format!(" in one of {} series", planned.full),
        _ => String::new(),
    };
    let half = at_half(judgement.policy, &judgement.state).map(|(needed, of, chance)| {
        format!("a product that works half the time gets to {needed} of {of}{again} {} times in 100", times(chance))
    });
    let parts: Vec<String> = between.into_iter().chain(half).collect();
    if !parts.is_empty() {
        block.row(2, "how sure", COLUMN, &parts.join("; "));
    }
}

fn times(chance: f64) -> String {
    let hundred = chance * 100.0;
    if hundred >= 99.95 {
        "nearly 100".to_owned()
    } else if hundred >= 1.0 || hundred == 0.0 {
        format!("{hundred:.0}")
    } else if hundred >= 0.01 {
        format!("{hundred:.2}")
    } else {
        "less than 0.01".to_owned()
    }
}

fn warned(block: &mut Block, judgement: &Judgement<'_>) {
    for (position, warning) in judgement.warnings.iter().enumerate() {
        let head = if position == 0 { "warning" } else { "" };
        block.row(2, head, COLUMN, &format!("{}   {}", warning.code, warning.message));
    }
}

fn ended(block: Block, exit: u8) -> String {
    format!("{}exit {exit}\n", block.done())
}

/// The block of a policy that is none.
pub(crate) fn invalid(source: &Source, invalid: &Invalid, out: Out) -> String {
    let mut block = Block::new(out);
    let (word, tone) = word(Outcome::InvalidPolicy);
    block.verdict(word, tone, &format!("{}   no run was judged; an invalid policy opens no gate", source.name));
    let place = invalid.place.map_or_else(String::new, |place| format!(":{}:{}", place.line, place.column));
    block.line(2, 6, &format!("{}   {}{place}   {}", invalid.reason, source.name, invalid.message));
    if let Some((line, mark)) = quoted(source, invalid) {
        block.paste(6, &line);
        block.paste(6, &mark);
    }
    block.line(6, 6, &help(invalid));
    block.row(2, "not checked", COLUMN, "anything after the first fault");
    block.next(&[crate::answer::next::Move {
        act: "fix",
        who: probity_core::codes::Who::Agent,
        why: invalid.reason.as_str().to_owned(),
        how: crate::answer::next::How::Hint(
            "correct the file: a new policy version; old decisions stay as they are".to_owned(),
        ),
    }]);
    ended(block, Outcome::InvalidPolicy.exit())
}

/// The line of a fault and a mark below it, where both can be drawn as they stand.
fn quoted(source: &Source, invalid: &Invalid) -> Option<(String, String)> {
    let place = invalid.place?;
    let line = std::str::from_utf8(&source.text).ok()?.lines().nth((place.line as usize).checked_sub(1)?)?;
    let drawable = line.len() <= 90 && line.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let before = (place.column as usize).saturating_sub(1);
    let length = place.bytes().len().clamp(1, line.len().saturating_sub(before).max(1));
    drawable.then(|| (line.to_owned(), format!("{}{}", " ".repeat(before), "^".repeat(length))))
}

/// A check in one line.
pub(crate) fn checked(source: &Source, errors: usize, warnings: usize, out: Out) -> String {
    let mut block = Block::new(out);
    let found = [(errors, "error"), (warnings, "warning")];
    let mut parts: Vec<String> =
        found.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count as u64, noun)).collect();
    let word = match &source.policy {
        Ok(policy) => {
            let blank = source.text.trim_ascii().is_empty();
            parts.push(if blank { format!("no policy, which means {}", named(policy)) } else { named(policy) });
            "ok"
        }
        Err(_) => "ERRORS",
    };
    block.line(0, 8, &format!("{word}  {}: {}", source.name, parts.join("; ")));
    block.done()
}
