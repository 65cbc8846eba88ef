//! One call of a judge, on the command probe: its own process group, TERM and KILL, capped output, a short environment.

use std::time::{Duration, Instant};

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::judge::{Answer, AnswerFault, Ballot, Call, Ended, MOST_ANSWER, Question};
use probity_core::observe::{Captured, CommandCall, CommandResult, Field};
use probity_core::redact::Redactor;
use probity_probes::command::{self, Allowance, Isolated, Sealed, Surroundings};

use super::{MOST_CALLS, Request, longest};

/// What a judge may write to both streams together, in bytes.
const OUTPUT: u64 = 1 << 20;
/// How much of its standard error is kept, in bytes.
const STDERR: usize = 2_000;
/// A judge that was told to leave has so long.
const GRACE: Duration = Duration::from_millis(500);

/// Whoever asks.
pub(super) struct Asker<'a> {
    call: CommandCall,
    project: &'a std::path::Path,
    sealed: &'a Sealed,
    isolated: Option<Isolated>,
    redactor: Redactor,
    deadline: Instant,
    cancel: tokio::sync::watch::Receiver<bool>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(request: &Request<'a>, sealed: &'a Sealed, isolated: Option<Isolated>) -> Self {
        let judge = request.judge;
        let (argv, cwd, env) = (judge.run.clone(), judge.cwd.clone(), judge.env.clone());
        Self {
            call: CommandCall { argv, cwd, env, stdin: None, timeout_ms: judge.timeout_ms },
            project: &request.project.root,
            sealed,
            isolated,
            redactor: request.redactor.clone(),
            deadline: Instant::now() + longest(judge, MOST_CALLS),
            cancel: request.cancel.clone(),
        }
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask(&mut self, question: &Question, call: &Call) -> Ballot {
        let document = question.document(&call.nonce);
        let digest = Digest::of(&document);
        self.call.stdin = Some(document);
        let mut mark = [0; 12];
        // The mark finds children that left their group; nothing else depends on it.
        let _ = getrandom::fill(&mut mark);
        let mark: String = mark.iter().map(|byte| format!("{byte:02x}")).collect();
        let around = Surroundings {
            project: self.project,
            mark: &mark,
            inherited: &command::inherited(),
            secrets: &|name| std::env::var(name).ok(),
            isolated: self.isolated.as_ref(),
        };
        let allowance = Allowance::own(OUTPUT, OUTPUT, GRACE);
        let result =
            command::run(&self.call, self.sealed, &around, &allowance, self.deadline, self.cancel.clone()).await;
        let (answer, ended) = self.read(&result, question, call);
        Ballot { asked: call.asked, nonce: call.nonce.clone(), question: digest, answer, ended }
    }

    /// Secrets are replaced before anything else is done with what the judge wrote.
    fn read(
        &mut self,
        result: &CommandResult,
        question: &Question,
        call: &Call,
    ) -> (Result<Answer, AnswerFault>, Ended) {
        let (stdout, hidden) = self.hide(&result.stdout);
        let (stderr, more) = self.hide(&result.stderr);
        let read = failed(result).map_or_else(|| Answer::read(&stdout, &call.nonce, &question.names()), Err);
        let answer = read.map(|answer| self.hide_in(answer));
        let ended = Ended {
            exit: result.exit,
            signal: result.signal,
            termination: result.termination.clone(),
            ms: result.total_us / 1000,
            stdout: Some((Digest::of(&stdout), result.stdout.total)),
            stderr: String::from_utf8_lossy(&stderr[..stderr.len().min(STDERR)]).into_owned(),
            redactions: hidden + more,
        };
        (answer, ended)
    }

    fn hide(&mut self, captured: &Captured) -> (Vec<u8>, u64) {
        self.redactor.study_output(&captured.kept);
        self.redactor.hide(captured.kept.clone(), !captured.complete)
    }

    /// A text inside the answer is looked at again for itself: there a secret may stand as in any running text.
    fn hide_in(&mut self, answer: Answer) -> Answer {
        let reason = answer.reason.map(|reason| {
            self.redactor.study_output(reason.as_bytes());
            self.redactor.text(&reason)
        });
        let measures = answer.measures.into_iter().map(|(name, value)| (name, self.redactor.hidden_in(&value)));
        Answer { reason, measures: measures.collect(), ..answer }
    }
}

/// Why there is no answer to read.
fn failed(result: &CommandResult) -> Option<AnswerFault> {
    let why = match (&result.failure, result.exit, result.signal) {
        (Some(failure), ..) => failure.message.trim_end_matches('.').to_owned(),
        (None, Some(0), _) if result.stdout.total > MOST_ANSWER as u64 => {
            format!("the judge wrote {} bytes, where an answer has {MOST_ANSWER} at most", result.stdout.total)
        }
        (None, Some(0), _) => return None,
        (None, Some(code), _) => format!("the judge ended with exit code {code}"),
        (None, None, signal) => format!("the judge was ended by signal {}", signal.unwrap_or_default()),
    };
    Some(AnswerFault { code: Code::JudgeCallFailed, message: why })
}

/// The credentials that a judge's environment refers to, with their values, where they are set.
pub(super) fn credentials(env: &[(String, Field)]) -> Vec<(String, String)> {
    let named = env.iter().filter_map(|(_, field)| match field {
        Field::Secret(_, name) => Some(name),
        Field::Text(_) => None,
    });
    named.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?))).collect()
}
