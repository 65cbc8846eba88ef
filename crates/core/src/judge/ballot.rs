//! What the calls of a judgement come to.

use super::answer::{Answer, AnswerFault};
use super::order::Asked;
use crate::codes::Code;
use crate::ids::Digest;
use crate::json::Number;
use crate::number::compare;
use crate::verdict::QaVerdict;

/// One call, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// What was asked about.
    pub asked: Asked,
    /// The nonce of the question.
    pub nonce: String,
    /// Digest of the question as it was handed over.
    pub question: Digest,
    /// The answer, or why there is none.
    pub answer: Result<Answer, AnswerFault>,
    /// How the program ended.
    pub ended: Ended,
}

/// How a judge's program ended.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ended {
    /// Its exit code, if it exited by itself.
    pub exit: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// `exited`, `stage_timeout`, `output_byte_limit` and the like, as a command of a run ends.
    pub termination: String,
    /// Wall time in ms.
    pub ms: u64,
    /// What it wrote to standard output, as a digest and in bytes.
    pub stdout: Option<(Digest, u64)>,
    /// What it wrote to standard error, secrets replaced: a beginning of it.
    pub stderr: String,
    /// Secrets that were replaced in what it wrote.
    pub redactions: u64,
}

/// What a judgement comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The verdict.
    pub verdict: QaVerdict,
    /// How sure the votes are of it: as sure as the least sure one.
    pub confidence: Option<Number>,
    /// Why, where it is no plain pass or failure.
    pub reason: Option<(Code, String)>,
    /// Why no vote counts, if so.
    pub void: Option<Code>,
}

impl Conclusion {
    const fn plain(verdict: QaVerdict, confidence: Option<Number>) -> Self {
        Self { verdict, confidence, reason: None, void: None }
    }

    fn void(code: Code, message: String) -> Self {
        Self { verdict: QaVerdict::Error, confidence: None, reason: Some((code, message)), void: Some(code) }
    }
}

/// What the calls come to: nothing, where a control failed or there was none; else what all votes say, and undetermined
/// where they differ. A call without an answer is no vote. `wrote`: what the judge changed in the run that it judges.
#[must_use]
pub fn conclude(ballots: &[Ballot], wrote: Option<&str>) -> Conclusion {
    if let Some(what) = wrote {
        return Conclusion::void(Code::JudgeWrote, format!("{what} was changed while the judge ran; no vote counts"));
    }
    if let Some((code, message)) = ballots.iter().find_map(refuted) {
        return Conclusion::void(code, message);
    }
    if !ballots.iter().any(|ballot| matches!(ballot.asked, Asked::Mutant(_) | Asked::KnownBad(_))) {
        let message = "nothing known to be bad could be shown to the judge; no vote counts".to_owned();
        return Conclusion::void(Code::JudgeControlMissing, message);
    }
    let asked = || ballots.iter().filter(|ballot| ballot.asked == Asked::Original);
    let votes: Vec<&Answer> = asked().filter_map(|ballot| ballot.answer.as_ref().ok()).collect();
    let Some(first) = votes.first() else {
        let fault =
            asked().find_map(|ballot| ballot.answer.as_ref().err()).map(|fault| (fault.code, fault.message.clone()));
        let reason = fault.or_else(|| Some((Code::JudgeCallFailed, "the judge was not asked".to_owned())));
        return Conclusion { reason, ..Conclusion::plain(QaVerdict::Error, None) };
    };
    let count = |verdict: QaVerdict| votes.iter().filter(|vote| vote.verdict == verdict).count();
    if count(first.verdict) < votes.len() {
        let said = [QaVerdict::Pass, QaVerdict::Fail, QaVerdict::Undetermined].map(|verdict| (count(verdict), verdict));
        let said = said.into_iter().filter(|(count, _)| *count > 0).map(|(count, v)| format!("{count} {}", v.as_str()));
        let message = format!("the judge disagrees with itself: {}", said.collect::<Vec<_>>().join(", "));
        let reason = Some((Code::JudgeDisagrees, message));
        return Conclusion { reason, ..Conclusion::plain(QaVerdict::Undetermined, None) };
    }
    let least = votes.iter().map(|vote| &vote.confidence).min_by(|a, b| compare(a, b)).cloned();
    let mut conclusion = Conclusion::plain(first.verdict, least);
    if first.verdict == QaVerdict::Undetermined {
        let said = votes.iter().find_map(|vote| vote.reason.as_deref());
        let message =
            said.map_or_else(|| "the judge cannot tell".to_owned(), |said| format!("the judge cannot tell: {said}"));
        conclusion.reason = Some((Code::JudgeUndecided, message));
    }
    conclusion
}

/// How a control refutes the judge, if it does.
fn refuted(ballot: &Ballot) -> Option<(Code, String)> {
    let what = match ballot.asked {
        Asked::Original => return None,
        Asked::Mutant(_) => "evidence that was made bad",
        Asked::KnownBad(_) => "what is known to be bad",
        Asked::KnownGood(_) => "what is known to be good",
    };
    let wants_pass = matches!(ballot.asked, Asked::KnownGood(_));
    let message = match &ballot.answer {
        Ok(answer) if (answer.verdict == QaVerdict::Pass) == wants_pass => return None,
        Ok(answer) => format!("the judge says {} of {what}; no vote counts", answer.verdict.as_str()),
        Err(fault) => format!("the judge could not be asked about {what}: {}; no vote counts", fault.message),
    };
    Some((Code::JudgeControlFailed, message))
}
