//! `run.opened`: everything about a run that is known before its first action.

use super::body::{Body, Fields};
use crate::json::Json;

/// Nothing keeps children out of the run folder.
pub const ISOLATION_NONE: &str = "none";
/// Children start in a mount namespace where the run folder and the run list are read-only (threats.md R11).
pub const ISOLATION_MOUNTS: &str = "mount_namespace";

/// The first entry of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOpened {
    /// 128 random bits in hex; the run's id ends in its first 8 digits (threats R17).
    pub nonce: String,
    /// A value that a signer issued before the run, if one did.
    pub challenge: Option<String>,
    /// The requirement's title.
    pub goal: String,
    /// `qa_marker`, at least 96 random bits.
    pub marker: String,
    /// `probity 0.1.0`
    pub tool: String,
    /// Version of the derivation.
    pub derivation: u64,
    /// Digest of the program's own file, where it could be read.
    pub executable: Option<String>,
    /// How children are kept out of the run folder: [`ISOLATION_NONE`] or [`ISOLATION_MOUNTS`].
    pub isolation: String,
    /// 16 hex digits of the digest of requirement and environment.
    pub series: String,
    /// The n-th run of the series.
    pub attempt: u64,
    /// Effective options.
    pub options: Options,
    /// Limits.
    pub limits: Limits,
    /// The environment, as [`crate::environment::Environment::to_json`] writes it.
    pub environment: Json,
    /// The state of the work tree, where the project is one.
    pub git: Option<Git>,
}

/// Effective options of a run: each that relaxes a check is sealed here (belief 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `--env`.
    pub environment: Option<String>,
    /// `--only`: the cases or criteria that were asked for; empty means all.
    pub only: Vec<String>,
    /// `--allow`: codes that were let through.
    pub allow: Vec<String>,
    /// `--jobs`: how many cases may be under way at once, from 1 to [`MOST_JOBS`].
    pub jobs: u64,
}

/// No more cases than these are under way at once.
pub const MOST_JOBS: u64 = 64;

impl Default for Options {
    fn default() -> Self {
        Self { environment: None, only: Vec::new(), allow: Vec::new(), jobs: 1 }
    }
}

/// Limits of a run (plan.md, "the least of it").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time in ms.
    pub time_ms: u64,
    /// Probes.
    pub probes: u64,
    /// Output of children in bytes.
    pub output: u64,
    /// Part of the time that only cleanup may spend, in ms.
    pub reserve_ms: u64,
    /// Part of the output that only cleanup may spend, in bytes.
    pub reserve_output: u64,
}

/// The state of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Git {
    /// The commit.
    pub commit: String,
    /// The tree of that commit.
    pub tree: String,
    /// Whether the work tree differs from it.
    pub dirty: bool,
    /// Whether the plan differs from the one at the merge base with the main branch; unknown without one.
    pub plan_changed: Option<bool>,
}

impl Body for RunOpened {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            nonce: f.text("nonce")?,
            challenge: f.optional_text("challenge")?,
            goal: f.text("goal")?,
            marker: f.text("marker")?,
            tool: f.text("tool")?,
            derivation: f.number("derivation")?,
            executable: f.optional_text("executable")?,
            isolation: f.text("isolation")?,
            series: f.text("series")?,
            attempt: f.number("attempt")?,
            options: f.map("options", Options::fields)?,
            limits: f.map("limits", Limits::fields)?,
            environment: f.take("environment")?,
            git: f.nullable("git", Git::read)?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("nonce", Json::from(self.nonce.as_str())),
            ("challenge", self.challenge.clone().into()),
            ("goal", self.goal.as_str().into()),
            ("marker", self.marker.as_str().into()),
            ("tool", self.tool.as_str().into()),
            ("derivation", self.derivation.into()),
            ("executable", self.executable.clone().into()),
            ("isolation", self.isolation.as_str().into()),
            ("series", self.series.as_str().into()),
            ("attempt", self.attempt.into()),
            ("options", self.options.write()),
            ("limits", self.limits.write()),
            ("environment", self.environment.clone()),
            ("git", self.git.as_ref().map_or(Json::Null, Git::write)),
        ])
    }
}

impl Body for Options {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            environment: f.optional_text("environment")?,
            only: f.texts("only")?,
            allow: f.texts("allow")?,
            // Older runs had one case under way and did not say so.
            jobs: f.number_or("jobs", 1)?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("environment", Json::from(self.environment.clone())),
            ("only", self.only.clone().into()),
            ("allow", self.allow.clone().into()),
            ("jobs", self.jobs.into()),
        ])
    }
}

impl Body for Limits {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            time_ms: f.number("time_ms")?,
            probes: f.number("probes")?,
            output: f.number("output")?,
            reserve_ms: f.number("reserve_ms")?,
            reserve_output: f.number("reserve_output")?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("time_ms", self.time_ms),
            ("probes", self.probes),
            ("output", self.output),
            ("reserve_ms", self.reserve_ms),
            ("reserve_output", self.reserve_output),
        ])
    }
}

impl Limits {
    /// The limits of a plan with this many steps, where the settings file says nothing else:
    /// 30 min and 2 s a step, max(500, 2 × steps) probes, 16 MiB of output; a reserve of 10 % of each,
    /// at least 30 s and 1 MiB, at most half.
    #[must_use]
    pub fn for_plan(steps: u64, settings: crate::environment::LimitSettings) -> Self {
        let time_ms = settings.time_ms.unwrap_or(30 * 60_000 + 2_000 * steps);
        let output = settings.output.unwrap_or(16 << 20);
        Self {
            time_ms,
            probes: settings.probes.unwrap_or_else(|| (2 * steps).max(500)),
            output,
            reserve_ms: (time_ms / 10).max(30_000).min(time_ms / 2),
            reserve_output: (output / 10).max(1 << 20).min(output / 2),
        }
    }
}

impl Body for Git {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            commit: f.text("commit")?,
            tree: f.text("tree")?,
            dirty: f.bool("dirty")?,
            plan_changed: f.nullable("plan_changed", |value| value.as_bool())?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("commit", Json::from(self.commit.as_str())),
            ("tree", self.tree.as_str().into()),
            ("dirty", self.dirty.into()),
            ("plan_changed", self.plan_changed.into()),
        ])
    }
}
