//! What blocks a phase, and why. The outcome is the success policy's over the runs that are eligible: of an accepted commit,
//! of a clean work tree, and of a source that the requirement counts. Freshness is a matter of commits and never of clocks
//! (spec 3.3); a waiver lies over the outcome and does not change it (spec 2.1).

use super::intake::as_run;
use super::{Blocking, Counted, Phase, Source, Sums, Tree, Version, Waiver};
use crate::codes::{Code, Who};
use crate::json::{Json, NotCanonical, canonical};
use crate::success_policy::{Invalid, Outcome, Policy, Reason, State, Warning, conclude, warnings};

/// Which run decides where one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// A newer run that is not what the policy asks for holds the phase up.
    Latest,
    /// One good run is enough, whatever came after it.
    Any,
}

impl Select {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Any => "any",
        }
    }
}

/// What is asked of every requirement.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The phase; all where it is `None`.
    pub phase: Option<Phase>,
    /// Commits whose runs are fresh.
    pub commits: Vec<String>,
    /// Which run decides.
    pub select: Select,
    /// As many completed runs count, the first ones of the commits.
    pub max_attempts: Option<u64>,
    /// Now, in microseconds since 1970; for the ends of waivers alone.
    pub now: i64,
}

/// A requirement with what the index knows of it.
#[derive(Clone, Debug)]
pub struct Standing {
    /// What it asks for now.
    pub version: Version,
    /// How many runs it has, of whatever commit.
    pub runs: i64,
    /// Counts of the accepted commits, by source and tree.
    pub states: Vec<(Source, Tree, Sums)>,
    /// The first completed runs of the accepted commits, in order; needed only where [`Standing::needs_runs`] says so.
    pub first: Vec<Counted>,
    /// Waivers that were ever given for it.
    pub waivers: Vec<Waiver>,
}

impl Standing {
    /// Whether runs of this source and tree count.
    #[must_use]
    pub fn takes(&self, source: Source, tree: Tree) -> bool {
        tree != Tree::Dirty && (source == Source::Observed || self.version.terms.accept_reported)
    }

    /// Counts of the eligible runs.
    #[must_use]
    pub fn state(&self) -> State {
        let mut sums = Sums::default();
        for (_, _, part) in self.states.iter().filter(|(source, tree, _)| self.takes(*source, *tree)) {
            sums.merge(part);
        }
        State::of_sums(&sums)
    }

    /// Whether more runs are eligible than may count, so that the first ones must be looked at.
    #[must_use]
    pub fn exceeds(&self, max_attempts: Option<u64>) -> bool {
        max_attempts.is_some_and(|most| self.state().completed() > most)
    }

    /// Whether the runs themselves must be looked at, since counts do not say enough: more of them than may count, or a
    /// policy that asks for their order.
    #[must_use]
    pub fn needs_runs(&self, max_attempts: Option<u64>) -> bool {
        self.exceeds(max_attempts) || policy(&self.version).is_ok_and(|policy| policy.is_ordered())
    }
}

/// What a requirement does to its phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// It holds the phase up: it is not met.
    Refuses,
    /// It holds the phase up: nothing is known yet.
    Undetermined,
    /// It would, and was waived.
    Waived,
    /// It does not hold the phase up: it is met.
    Met,
    /// It never holds anything up.
    NotBlocking,
}

impl Hold {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refuses => "refuses",
            Self::Undetermined => "undetermined",
            Self::Waived => "waived",
            Self::Met => "met",
            Self::NotBlocking => "not_blocking",
        }
    }

    /// Whether it holds its phase up.
    #[must_use]
    pub const fn blocks(self) -> bool {
        matches!(self, Self::Refuses | Self::Undetermined)
    }
}

/// A requirement after it was looked at.
#[derive(Clone, Debug)]
pub struct Looked {
    /// What it asks for.
    pub version: Version,
    /// How many runs it has, of whatever commit.
    pub runs: i64,
    /// Counts of the runs that were taken.
    pub state: State,
    /// The policy's outcome over them.
    pub outcome: Outcome,
    /// Why: a code.
    pub code: Code,
    /// Why: a sentence without a full stop.
    pub why: String,
    /// What it does to its phase.
    pub hold: Hold,
    /// The waiver that lies over it.
    pub waiver: Option<Waiver>,
    /// What else is worth saying.
    pub warnings: Vec<Warning>,
}

impl Looked {
    /// Whose move it is.
    #[must_use]
    pub const fn who(&self) -> Who {
        self.code.explanation().who
    }
}

/// Looks at one requirement.
#[must_use]
pub fn look(standing: &Standing, asked: &Asked) -> Looked {
    let found = found(standing, asked);
    let (waiver, mut warnings) = waivers(standing, asked);
    warnings.extend(found.warnings);
    let met = found.outcome == Outcome::Satisfied && found.code != Code::NewestContradicts;
    let hold = match (standing.version.terms.blocking, met, &waiver) {
        (Blocking::NonBlocking, _, _) => Hold::NotBlocking,
        (Blocking::Blocking, true, _) => Hold::Met,
        (Blocking::Blocking, false, Some(_)) => Hold::Waived,
        (Blocking::Blocking, false, None) if found.outcome == Outcome::Undetermined => Hold::Undetermined,
        (Blocking::Blocking, false, None) => Hold::Refuses,
    };
    if hold == Hold::Waived {
        let message = "it is open because of a waiver that bears no signature".to_owned();
        warnings.push(Warning { code: Code::WaiverUnsigned, message });
    }
    Looked {
        version: standing.version.clone(),
        runs: standing.runs,
        state: found.state,
        outcome: found.outcome,
        code: found.code,
        why: found.why,
        hold,
        waiver: waiver.filter(|_| hold == Hold::Waived),
        warnings,
    }
}

fn policy(version: &Version) -> Result<Policy, Box<Invalid>> {
    Policy::read(version.terms.policy.as_deref().unwrap_or_default().as_bytes())
}

/// The outcome with its reason.
struct Found {
    state: State,
    outcome: Outcome,
    code: Code,
    why: String,
    warnings: Vec<Warning>,
}

fn found(standing: &Standing, asked: &Asked) -> Found {
    let all = standing.state();
    let policy = match policy(&standing.version) {
        Ok(policy) => policy,
        Err(invalid) => {
            let (code, why) = (invalid.reason.code(), invalid.message);
            return Found { state: all, outcome: Outcome::InvalidPolicy, code, why, warnings: Vec::new() };
        }
    };
    let exceeds = standing.exceeds(asked.max_attempts);
    let completed = all.completed();
    let state = if standing.needs_runs(asked.max_attempts) { first(standing, asked, &policy) } else { all };
    let reason = conclude(&policy, &state);
    let found = |outcome, code, why| {
        let warnings = warnings(&policy, &state);
        Found { state: state.clone(), outcome, code, why, warnings }
    };
    if exceeds && reason.outcome() != Outcome::Satisfied {
        let most = asked.max_attempts.unwrap_or_default();
        let why = format!("the first {most} of {completed} runs are not what the policy asks for");
        return found(Outcome::Failed, Code::AttemptsExceeded, why);
    }
    if reason == Reason::NoRuns {
        let (code, why) = nothing(standing, asked);
        return found(Outcome::Undetermined, code, why);
    }
    let contradicted = policy.is_existential() && state.is_contradicted();
    if reason.outcome() == Outcome::Satisfied && contradicted && asked.select == Select::Latest {
        let why = "a run is what the policy asks for, and a newer one is not".to_owned();
        let mut found = found(Outcome::Satisfied, Code::NewestContradicts, why);
        // It is the reason already.
        found.warnings.retain(|warning| warning.code != Code::NewerContradiction);
        return found;
    }
    found(reason.outcome(), reason.code(), drawn(&policy, &state))
}

/// The counts of the first runs that may count.
fn first(standing: &Standing, asked: &Asked, policy: &Policy) -> State {
    let most = usize::try_from(asked.max_attempts.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let eligible = standing.first.iter().filter(|run| standing.takes(run.source, run.tree));
    let runs: Vec<_> = eligible.take(most).map(as_run).collect();
    State::of(policy, &runs)
}

/// Why no run is eligible.
fn nothing(standing: &Standing, asked: &Asked) -> (Code, String) {
    let runs = |count: i64| if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
    let of = |takes: &dyn Fn(Source, Tree) -> bool| {
        let parts = standing.states.iter().filter(|(source, tree, _)| takes(*source, *tree));
        parts.map(|(_, _, sums)| sums.counts[..4].iter().sum::<i64>()).sum::<i64>()
    };
    let dirty = of(&|_, tree| tree == Tree::Dirty);
    let reported = of(&|source, tree| source == Source::Reported && tree != Tree::Dirty);
    if asked.commits.is_empty() {
        return (Code::CommitUnknown, "no commit is asked about".to_owned());
    }
    if reported > 0 {
        return (Code::RunsReportedOnly, format!("{} of this commit were reported, and none observed", runs(reported)));
    }
    if dirty > 0 {
        return (Code::RunsDirty, format!("{} were made in a work tree that differs from the commit", runs(dirty)));
    }
    if standing.runs > 0 {
        return (Code::RunsStale, format!("{}, none of them completed on this commit", runs(standing.runs)));
    }
    (Code::NoRuns, "there is no run".to_owned())
}

/// The counts, as a sentence.
fn drawn(policy: &Policy, state: &State) -> String {
    let (yes, of) = state.judged(policy);
    let counts = state.counts();
    let classes =
        [(counts.pass, "pass"), (counts.fail, "fail"), (counts.error, "error"), (counts.undetermined, "undetermined")];
    let some = classes.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let runs = some.collect::<Vec<_>>().join(", ");
    match policy {
        Policy::Statistical { min_runs, min_pass_rate } => {
            format!(
                "{yes} of {of} passed; {min_runs} runs and a rate of {} are needed ({runs})",
                min_pass_rate.number().token()
            )
        }
        Policy::AgentJudgment { min_runs, .. } => {
            format!(
                "{yes} sure of a pass and {} sure of a failure in {of} looks; {min_runs} are needed ({runs})",
                state.no()
            )
        }
        _ => {
            let measured = if of == 1 { "measured run is" } else { "measured runs are" };
            format!("{yes} of {of} {measured} what the policy asks for ({runs})")
        }
    }
}

/// The waiver that counts, the one that lasts longest; what is to be said of the others.
fn waivers(standing: &Standing, asked: &Asked) -> (Option<Waiver>, Vec<Warning>) {
    let mut counting: Option<&Waiver> = None;
    let (mut expired, mut void) = (0, 0);
    for waiver in &standing.waivers {
        let elsewhere = waiver.commit.as_ref().is_some_and(|commit| !asked.commits.contains(commit));
        if waiver.until <= asked.now {
            expired += 1;
        } else if waiver.version != standing.version.version || elsewhere {
            void += 1;
        } else if counting.is_none_or(|other| waiver.until > other.until) {
            counting = Some(waiver);
        }
    }
    let mut warnings = Vec::new();
    let mut say = |count: usize, code: Code, what: &str| {
        if count > 0 && counting.is_none() {
            let waivers = if count == 1 { "1 waiver".to_owned() } else { format!("{count} waivers") };
            warnings.push(Warning { code, message: format!("{waivers} {what}") });
        }
    };
    say(expired, Code::WaiverExpired, "ended, and counts no more");
    say(void, Code::WaiverVoid, "of another version of the requirement or another commit, which does not count");
    (counting.cloned(), warnings)
}

/// What a gate comes to.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Every requirement of the phase, the worst first.
    pub looked: Vec<Looked>,
}

impl Gate {
    /// Looks at every requirement of the phase.
    #[must_use]
    pub fn of(standings: &[Standing], asked: &Asked) -> Self {
        let due = standings.iter().filter(|one| asked.phase.is_none_or(|phase| one.version.terms.phase == phase));
        let mut looked: Vec<Looked> = due.map(|standing| look(standing, asked)).collect();
        looked.sort_by_key(|one| one.hold);
        Self { looked }
    }

    /// Requirements that hold the phase up, the worst first.
    pub fn blocking(&self) -> impl Iterator<Item = &Looked> {
        self.looked.iter().filter(|one| one.hold.blocks())
    }

    /// Whether nothing is required: then nothing is open (belief 2).
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.looked.is_empty()
    }

    /// Whether the gate opens.
    #[must_use]
    pub fn ok(&self) -> bool {
        !self.is_empty() && self.blocking().next().is_none()
    }

    /// Whether it opens because of waivers alone.
    #[must_use]
    pub fn capped(&self) -> bool {
        self.ok() && self.looked.iter().any(|one| one.hold == Hold::Waived)
    }

    /// The exit code: 0 open, 7 refused, 5 where only undetermined ones block.
    #[must_use]
    pub fn exit(&self) -> u8 {
        if self.ok() {
            0
        } else if self.looked.iter().any(|one| one.hold == Hold::Refuses) {
            7
        } else {
            5
        }
    }

    /// On what it was decided, as canonical JSON. Runs are numbered without a gap and never changed, so their number says
    /// which they were.
    ///
    /// # Errors
    /// Where a text of a row has no canonical form.
    pub fn grounds(&self, asked: &Asked) -> Result<String, NotCanonical> {
        let requirement = |one: &Looked| {
            let sums = one.state.sums();
            Json::map([
                ("id", Json::from(one.version.requirement.as_str())),
                ("version", one.version.version.into()),
                ("policy_sha256", one.version.policy_sha256.to_string().into()),
                ("semantics", policy(&one.version).ok().map(|policy| policy.semantics()).into()),
                ("runs", one.runs.into()),
                ("counts", Json::list(sums.counts)),
                ("newest", Json::list(sums.newest)),
                ("outcome", one.outcome.as_str().into()),
                ("code", one.code.as_str().into()),
                ("hold", one.hold.as_str().into()),
                ("waiver", one.waiver.as_ref().map(|waiver| waiver.key.clone()).into()),
            ])
        };
        let mut looked: Vec<&Looked> = self.looked.iter().collect();
        looked.sort_by(|a, b| a.version.requirement.cmp(&b.version.requirement));
        let grounds = Json::map([
            ("phase", Json::from(asked.phase.map(Phase::as_str))),
            ("commits", Json::list(asked.commits.iter().map(String::as_str))),
            ("select", asked.select.as_str().into()),
            ("max_attempts", asked.max_attempts.into()),
            ("now", asked.now.into()),
            ("ok", self.ok().into()),
            ("requirements", Json::list(looked.into_iter().map(requirement))),
        ]);
        canonical(&grounds).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests;
