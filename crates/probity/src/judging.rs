//! A judgement: a judge asked about a criterion and evidence, with its controls, within the limits of a command
//! (docs/decisions/0013). What the answers come to is core's business.

mod ask;
mod from_run;
mod hand_in;
mod shipped;

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::judge::{
    Asked, Conclusion, Exhibit, HandedIn, Judge, Made, Mutation, Question, Record, calls, conclude, same_person,
};
use probity_core::redact::Redactor;
use probity_probes::command::{self, Isolated, Sealed};
use tokio::sync::watch;

pub(crate) use from_run::Taken;
pub(crate) use hand_in::HandIn;
pub(crate) use shipped::{SHIPPED, known};

use crate::engine::clock;
use crate::project::Project;

/// The most calls of one judgement.
pub(crate) const MOST_CALLS: usize = 200;

/// What is to be judged, and by whom.
pub(crate) struct Request<'a> {
    /// The project.
    pub project: &'a Project,
    /// The judge.
    pub judge: &'a Judge,
    /// Who made what is judged.
    pub authors: &'a [String],
    /// The requirement or criterion by its id.
    pub requirement: Option<String>,
    /// What is asked and shown.
    pub question: Question,
    /// Where what is shown came from.
    pub shown: Vec<HandedIn>,
    /// What a person knows to be bad or good, in the place of what is judged, and where it came from.
    pub known: Vec<(Asked, Exhibit, HandedIn)>,
    /// How many votes.
    pub votes: usize,
    /// The run that evidence was taken from.
    pub run: Option<Taken>,
    /// What the judge may not write to, as far as the system allows.
    pub kept: Vec<&'a Path>,
    /// Replaces secrets in what it writes.
    pub redactor: Redactor,
    /// Turns true when the user wants to stop.
    pub cancel: watch::Receiver<bool>,
}

/// Why nothing was judged.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The code.
    pub code: Code,
    /// What was seen.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Refused {
    /// With the remedy of the code.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: code.explanation().remedy.to_owned() }
    }

    /// The exit code: a judge that is another one than is pinned is a matter of integrity.
    pub(crate) const fn exit(&self) -> u8 {
        match self.code {
            Code::JudgeChanged => 6,
            Code::Interrupted => 130,
            _ => crate::cmd::USAGE,
        }
    }
}

/// What replaces secrets: the credentials of the judge, and what shows itself as one.
pub(crate) fn redactor(judge: &Judge) -> Redactor {
    let mut key = [0; 32];
    // Without random bytes the placeholders would be the same in each judgement; they would still hide the values.
    let _ = getrandom::fill(&mut key);
    Redactor::new(&key, &ask::credentials(&judge.env))
}

/// The bytes of a judge, hashed.
///
/// # Errors
/// A program that is not there.
pub(crate) fn sealed(judge: &Judge, project: &Project) -> Result<(Sealed, Made), Refused> {
    let sealed = command::seal(&judge.run, &judge.cwd, &project.root, &project.path_variable())
        .map_err(|failure| Refused::new(Code::JudgeCallFailed, failure.message))?;
    let run = shipped::as_written(judge);
    let program = (run.first().cloned().unwrap_or_default(), sealed.program_digest);
    let interpreter = sealed.interpreter.iter().map(|(name, _, digest)| (name.clone(), *digest));
    let named = sealed.files.iter().map(|(name, _, digest)| (name.clone(), *digest));
    let files = std::iter::once(program).chain(interpreter).chain(named).collect();
    let (name, by) = (judge.name.to_string(), judge.by.clone());
    let made = Made { name, by, run, files, pinned: judge.pin.is_some() };
    Ok((sealed, made))
}

/// Asks the judge as often as there are votes, beside its controls, in an order that it cannot know; gives everything that
/// was said, and what it comes to. `probity_core::judge::row` makes the QA run of it.
///
/// # Errors
/// A judge that made what it is to judge, that is not the pinned one, or that cannot be found; an interruption.
pub(crate) async fn judge(request: Request<'_>) -> Result<(Record, Conclusion), Refused> {
    let (sealed, made) = sealed(request.judge, request.project)?;
    not_the_author(request.judge, request.authors)?;
    if let Some(pin) = request.judge.pin.filter(|pin| *pin != made.digest()) {
        let (name, is) = (&made.name, made.digest().short());
        let message = format!("the judge {name} has the digest {is}…, and the settings file pins {}…", pin.short());
        return Err(Refused::new(Code::JudgeChanged, message));
    }
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| {
        Refused::new(
            Code::JudgeCallFailed,
            format!("no random bytes can be had, and an order that can be guessed shows nothing: {error}"),
        )
    })?;
    let seed = Digest::from_bytes(seed);
    let mutation = Mutation::drawn(&seed, &request.judge.controls);
    let (begun, at) = (Instant::now(), clock::now());
    let before = request.run.as_ref().map(Taken::state);
    let isolated = Isolated::from(&request.kept);
    let isolation = if isolated.is_some() { "mount_namespace" } else { "none" };
    let mut asker = ask::Asker::new(&request, &sealed, isolated);
    let mut ballots = Vec::new();
    let asks = Asks::of(&request, mutation);
    for call in calls(&seed, request.votes, &asks.once()) {
        ballots.push(asker.ask(&asks.question(call.asked), &call).await);
        if *request.cancel.borrow() {
            return Err(Refused::new(Code::Interrupted, "the judgement was interrupted; nothing was written"));
        }
    }
    let wrote = request.run.as_ref().filter(|run| Some(run.state()) != before).map(|run| format!("run {}", run.id));
    let conclusion = conclude(&ballots, wrote.as_deref());
    let record = Record {
        judge: made,
        requirement: request.requirement,
        criterion: request.question.criterion,
        authors: request.authors.to_vec(),
        shown: request.shown,
        known: request.known.into_iter().map(|(asked, _, from)| (asked, from)).collect(),
        seed,
        mutation,
        isolation,
        run: request.run.map(|run| (run.id, run.seal)),
        ballots,
        at: [at, clock::now()],
        ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    Ok((record, conclusion))
}

fn not_the_author(judge: &Judge, authors: &[String]) -> Result<(), Refused> {
    if authors.iter().any(|author| author.trim().is_empty()) {
        let help = "name the person or agent that made what is judged".to_owned();
        return Err(Refused { help, ..Refused::new(Code::UsageError, "an author is named by nothing") });
    }
    match authors.iter().find(|author| same_person(author, &judge.by)) {
        None => Ok(()),
        Some(author) => {
            let message = format!("{author} made what is judged, and answers for the judge {}", judge.name);
            Err(Refused::new(Code::JudgeIsAuthor, message))
        }
    }
}

/// Evidence known to be bad or good, beside the question itself. Of the questions only the one that is asked is in memory.
struct Asks<'a> {
    question: &'a Question,
    /// What stands in the place of which exhibit.
    others: Vec<(Asked, usize, Exhibit)>,
}

impl<'a> Asks<'a> {
    /// A mutant that would not differ is none.
    fn of(request: &'a Request<'_>, mutation: Mutation) -> Self {
        let question = &request.question;
        let judged = question.judged();
        let mutant = |at: &usize| Some((Asked::Mutant(*at), *at, question.exhibits.get(*at)?.mutant(mutation)?));
        let mut others: Vec<_> = judged.iter().filter_map(mutant).collect();
        if let Some(first) = judged.first() {
            others.extend(request.known.iter().map(|(asked, exhibit, _)| (*asked, *first, exhibit.clone())));
        }
        Self { question, others }
    }

    /// What is asked once for each vote.
    fn once(&self) -> Vec<Asked> {
        std::iter::once(Asked::Original).chain(self.others.iter().map(|(asked, ..)| *asked)).collect()
    }

    fn question(&self, asked: Asked) -> Cow<'a, Question> {
        match self.others.iter().find(|(other, ..)| *other == asked) {
            Some((_, at, exhibit)) => Cow::Owned(self.question.with(*at, exhibit.clone())),
            None => Cow::Borrowed(self.question),
        }
    }
}

/// How long a judgement may take at most.
fn longest(judge: &Judge, calls: usize) -> Duration {
    let each = Duration::from_millis(judge.timeout_ms).saturating_add(Duration::from_secs(10));
    each.saturating_mul(u32::try_from(calls).unwrap_or(u32::MAX))
}
