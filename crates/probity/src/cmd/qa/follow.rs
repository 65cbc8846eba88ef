//! Runs of ours as QA runs: `probity run` records what it made where there is an index, and `qa record --run` does so
//! afterwards. A run stands there once for a requirement, whoever records it.

use std::path::Path;

use probity_core::ids::Digest;
use probity_core::qa::intake;
use probity_core::qa::{NewRun, Said, Source, Terms, Tree};
use probity_core::success_policy::raw_result_of;
use probity_core::verdict::QaVerdict;
use probity_core::verify::Verified;
use probity_store::index::{Index, IndexError, Recorded, Target};

use super::{now, see, target};
use crate::answer::facts::plan_name;
use crate::out::Out;

/// Why a run says nothing to the index.
pub(super) enum Silent {
    /// It does not verify.
    Broken,
    /// It was never closed.
    Open,
    /// It was made somewhere else than the requirement asks for: where, and where it should have been.
    Elsewhere(String, String),
}

/// What a run says for a requirement.
pub(super) fn of_run(requirement: &str, terms: &Terms, verified: &Verified) -> Result<NewRun, Silent> {
    if !verified.is_intact() {
        return Err(Silent::Broken);
    }
    let raw = raw_result_of(verified);
    let (Some(judged), Some(status), Some(raw), Some(seal)) =
        (&verified.judged, verified.status(), raw, &verified.seal)
    else {
        return Err(Silent::Open);
    };
    let recorded = judged.audited().recorded();
    if let Some(wanted) = &terms.target_env {
        let name = judged.audited().checked().environment().name.clone().unwrap_or_default();
        if name != *wanted {
            return Err(Silent::Elsewhere(name, wanted.clone()));
        }
    }
    let verdict = QaVerdict::from(status);
    let first = judged.reasons().first().map(|one| format!("{} {}", one.code, one.message));
    let reason = first.or_else(|| Some(status.as_str().to_owned())).filter(|_| verdict != QaVerdict::Pass);
    let git = recorded.opened().git.as_ref();
    let said = Said {
        verdict: Some(verdict),
        reason: reason.map(|why| why.replace('\0', " ")),
        score: None,
        confidence: None,
        // What is too large for a column is left out: the run folder has it.
        raw: intake::raw(&raw.to_string()).ok().filter(|raw| intake::metrics(Some(raw)).is_ok()),
        commit: git.map(|git| git.commit.clone()),
        tree: git.map_or(Tree::Declared, |git| if git.dirty { Tree::Dirty } else { Tree::Clean }),
        duration_ms: None,
        artifacts: Vec::new(),
    };
    let run = recorded.run().to_owned();
    Ok(NewRun {
        requirement: requirement.to_owned(),
        key: format!("run-{}", Digest::of(format!("{run}\n{requirement}").as_bytes())),
        by: recorded.opened().tool.clone(),
        source: Source::Observed,
        seal: Some(seal.to_string()),
        run: Some(run),
        said,
    })
}

/// Records it.
pub(super) fn enter(index: &mut Index, run: &NewRun) -> Result<Recorded, IndexError> {
    let metrics = intake::metrics(run.said.raw.as_deref());
    let metrics = metrics.map_err(|unfit| IndexError::Refused { reason: unfit.message })?;
    index.record(run, &metrics, now(), &see)
}

/// What follows the runs of one call of `probity run`. Nothing that goes wrong here changes a verdict or an exit code; it is
/// said once, and then no more is tried.
pub(crate) struct Follow {
    to: To,
}

enum To {
    /// There may be an index here.
    Place(Target),
    /// It is open.
    Open(Box<Index>),
    /// There is none, or it failed.
    Nowhere,
}

impl Follow {
    /// Nothing is recorded.
    pub(crate) const fn nobody() -> Self {
        Self { to: To::Nowhere }
    }

    /// The index that was named, or the one beside the runs.
    pub(crate) fn of(said: Option<&str>, runs: &Path, out: Out) -> Self {
        let to = match target(said, runs) {
            Ok(target) if Index::is_there(&target) => To::Place(target),
            Ok(_) if said.is_none() => To::Nowhere,
            Ok(target) => {
                warn(out, &IndexError::Missing { place: target.to_string() });
                To::Nowhere
            }
            Err(error) => {
                warn(out, &error);
                To::Nowhere
            }
        };
        Self { to }
    }

    /// Records a run for every requirement that names its plan.
    pub(crate) fn record(&mut self, verified: &Verified, out: Out) {
        if let Err(error) = self.try_record(verified, out) {
            warn(out, &error);
            self.to = To::Nowhere;
        }
    }

    fn try_record(&mut self, verified: &Verified, out: Out) -> Result<(), IndexError> {
        if let To::Place(target) = &self.to {
            self.to = To::Open(Box::new(Index::open(target)?));
        }
        let (To::Open(index), Some(judged)) = (&mut self.to, &verified.judged) else { return Ok(()) };
        let plan = plan_name(judged);
        let plan = plan.trim_start_matches("./");
        for head in index.heads()?.into_iter().filter(|head| head.version.terms.plan.as_deref() == Some(plan)) {
            let id = &head.requirement.id;
            let Ok(run) = of_run(id, &head.version.terms, verified) else { continue };
            let n = enter(index, &run)?.n();
            out.talk(&format!("recorded  {id}  run {n}"));
        }
        Ok(())
    }
}

fn warn(out: Out, error: &IndexError) {
    let code = probity_core::codes::Code::NotIndexed;
    out.warn(&probity_core::inert::inert(&format!("{code}: {error}; the verdict stands")));
}
