//! A judgement on the screen.

use probity_core::judge::Ballot;
use probity_core::verdict::QaVerdict;

use super::block::{Block, Tone, whose};
use crate::cmd::judge::Judged;
use crate::out::Out;

/// So many calls are shown.
const ROWS: usize = 6;
/// The column where rows begin to say something.
const COLUMN: usize = 14;

/// The block of `judge run`.
pub(crate) fn run(judged: &Judged, out: Out) -> String {
    let (record, conclusion) = (&judged.record, &judged.conclusion);
    let (word, tone) = match conclusion.verdict {
        QaVerdict::Pass => ("PASS", Tone::Good),
        QaVerdict::Fail => ("FAIL", Tone::Bad),
        QaVerdict::Undetermined => ("UNDETERMINED", Tone::Open),
        QaVerdict::Error => ("ERROR", Tone::Open),
    };
    let mut block = Block::new(out);
    let requirement = record.requirement.as_ref().map(|id| format!("{id}  ")).unwrap_or_default();
    block.verdict(word, tone, &format!("{requirement}{}", record.criterion));
    if let Some((code, message)) = &conclusion.reason {
        block.row(2, "reason", COLUMN, &format!("{code}   {message}"));
        let explanation = code.explanation();
        block.row(2, whose(explanation.who), COLUMN, explanation.remedy);
    }
    let sure =
        conclusion.confidence.as_ref().map(|number| format!(", confidence {}", number.token())).unwrap_or_default();
    let valid = judged.calls(false).filter(|ballot| conclusion.void.is_none() && ballot.answer.is_ok()).count();
    let (votes, controls) = (judged.calls(false).count(), judged.calls(true).count());
    let tried = if controls == 1 { "1 control".to_owned() } else { format!("{controls} controls") };
    block.row(2, "votes", COLUMN, &format!("{valid} of {votes} count{sure}; {tried}"));
    for ballot in judged.calls(false).chain(judged.calls(true)).take(ROWS) {
        block.row(4, ballot.asked.as_str(), COLUMN + 2, &said(ballot));
    }
    let rest = (votes + controls).saturating_sub(ROWS);
    if rest > 0 {
        block.line(4, 4, &format!("{rest} more in the QA run"));
    }
    let judge = &record.judge;
    let pinned = if judge.pinned { "pinned" } else { "not pinned" };
    let known = format!(
        "{}, by {}, {pinned}, digest {}; isolation {}",
        judge.name,
        judge.by,
        judge.digest().short(),
        record.isolation
    );
    block.row(2, "judge", COLUMN, &known);
    block.row(2, "made by", COLUMN, &record.authors.join(", "));
    block.row(2, "claim", COLUMN, "reported: what a judge says is another program's word");
    if let Some(file) = &judged.written {
        block.row(2, "written", COLUMN, file);
    }
    block.line(0, 0, &format!("exit {}", judged.exit()));
    block.done()
}

fn said(ballot: &Ballot) -> String {
    match &ballot.answer {
        Ok(answer) => {
            let reason = answer.reason.as_deref().map(|reason| format!("   {reason}")).unwrap_or_default();
            let cited = answer.evidence.join(" ");
            format!("{} {}   {cited}{reason}", answer.verdict.as_str(), answer.confidence.token())
        }
        Err(fault) => format!("{}   {}", fault.code, fault.message),
    }
}
