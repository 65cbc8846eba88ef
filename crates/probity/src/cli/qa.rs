//! `qa`: requirements, their QA runs, and the gate of a phase.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

/// `qa`
#[derive(Debug, Subcommand)]
pub(crate) enum QaCommand {
    /// Enter what must hold, or change it with a reason
    Require(RequireArgs),
    /// Record a run that somebody made, or one of probity's
    Record(RecordArgs),
    /// Let a requirement be for a while: who, why, until when
    Waive(WaiveArgs),
    /// Say where each requirement stands on a commit
    Status(StatusArgs),
    /// Say whether a phase is open, and what blocks it
    Gate(GateArgs),
    /// List runs, the newest first
    List(ListArgs),
    /// Say how steady requirements are, whose runs end in errors, and what judges are worth
    Flaky(FlakyArgs),
    /// Write everything as JSON lines, or the runs as CSV or Parquet
    Export(ExportArgs),
    /// Read what export wrote as JSON lines
    Import(ImportArgs),
}

/// Which index.
#[derive(Debug, Args)]
pub(crate) struct Where {
    /// The index: a file, or postgres://user@host/database; _qa/index.sqlite beside the runs when left out
    // A variable's value stands in no help text: it may hold a password.
    #[arg(long, value_name = "FILE|URL", env = "PROBITY_QA_INDEX", hide_env_values = true)]
    pub index: Option<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// When a requirement falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum PhaseName {
    /// Before a change is taken in
    Verification,
    /// After a release
    PostDeploy,
    /// A person accepts it
    ManualAcceptance,
}

/// Where a requirement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum OriginName {
    /// Somebody asked for it
    Explicit,
    /// A default that was set up
    SeededDefault,
    /// An acceptance criterion
    AcDerived,
    /// A flow
    FlowDerived,
}

/// `qa require`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa require CHECKOUT-FLOW --plan checkout.probity.yaml --by ann
  probity qa require CHECKOUT-FLOW --policy flow.policy.json --by ann --reason 'one run says too little'
  probity qa require LOOK --kind visual-regression --phase manual_acceptance --accept-reported --by ann

A change is a new version with its author and reason; earlier versions stay. What is not named stays as it is.")]
pub(crate) struct RequireArgs {
    /// Its id
    #[arg(value_name = "REQUIREMENT")]
    pub id: String,
    /// Who asks for it
    #[arg(long, value_name = "WHO", env = "PROBITY_BY")]
    pub by: String,
    /// Why it changes
    #[arg(long, value_name = "WHY")]
    pub reason: Option<String>,
    /// What is proved, such as smoke or e2e; never changed later [default: smoke]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Where it comes from; never changed later [default: explicit]
    #[arg(long, value_name = "SOURCE", value_enum)]
    pub source: Option<OriginName>,
    /// The success policy; - reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// One passing run is enough again
    #[arg(long, conflicts_with = "policy")]
    pub no_policy: bool,
    /// When it falls due [default: verification]
    #[arg(long, value_name = "PHASE", value_enum)]
    pub phase: Option<PhaseName>,
    /// It holds its phase up (as it does from the start)
    #[arg(long, conflicts_with = "non_blocking")]
    pub blocking: bool,
    /// It is looked at and holds nothing up
    #[arg(long)]
    pub non_blocking: bool,
    /// Only runs in this environment are recorded for it by probity run
    #[arg(long, value_name = "NAME")]
    pub target_env: Option<String>,
    /// The plan whose runs probity run records for it
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Runs that somebody reports count
    #[arg(long, conflicts_with = "observed_only")]
    pub accept_reported: bool,
    /// Only runs that probity made count (as it is from the start)
    #[arg(long)]
    pub observed_only: bool,
    #[command(flatten)]
    pub at: Where,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictName {
    /// Success
    Pass,
    /// The product failed
    Fail,
    /// It cannot be said; why must be
    Undetermined,
    /// The run could not be made
    Error,
}

/// `qa record`
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["verdict", "started", "run"]))]
#[command(after_help = "\
Examples:
  probity qa record LOOK --verdict pass --confidence 0.9 --by judge-7 --artifact home.png
  probity qa record LOAD --verdict pass --score 4.2 --raw result.json --by nightly
  probity qa record LOAD --started --key night-41 --by nightly      the verdict comes later, with the same key
  probity qa record CHECKOUT-FLOW --run RUN                         a run that was not recorded by itself

What is recorded by hand is reported: somebody's word. It counts only where the requirement accepts that.")]
pub(crate) struct RecordArgs {
    /// The requirement
    #[arg(value_name = "REQUIREMENT")]
    pub id: String,
    /// What came of it
    #[arg(long, value_name = "VERDICT", value_enum)]
    pub verdict: Option<VerdictName>,
    /// It has begun and has no verdict yet; needs a key
    #[arg(long, requires = "key")]
    pub started: bool,
    /// A run of probity: its folder, its id or the beginning of it
    #[arg(long, value_name = "RUN", conflicts_with_all = ["score", "confidence", "raw", "artifact", "commit", "key", "reason", "duration_ms"])]
    pub run: Option<String>,
    /// Who made the run
    #[arg(long, value_name = "WHO", env = "PROBITY_BY", required_unless_present = "run")]
    pub by: Option<String>,
    /// Why; an undetermined run needs it
    #[arg(long, value_name = "WHY", required_if_eq("verdict", "undetermined"))]
    pub reason: Option<String>,
    /// A score
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub score: Option<String>,
    /// How sure the verdict is, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub confidence: Option<String>,
    /// The raw result; - reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub raw: Option<PathBuf>,
    /// A file that the run left behind; it is kept by its digest
    #[arg(long, value_name = "FILE")]
    pub artifact: Vec<PathBuf>,
    /// The commit that was tested; the one that is checked out when left out
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// Two runs of one key are one run
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// How long it took, in milliseconds
    #[arg(long, value_name = "N")]
    pub duration_ms: Option<u32>,
    #[command(flatten)]
    pub at: Where,
}

/// `qa waive`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa waive CHECKOUT-FLOW --by ann --until 2026-12-24 --reason 'lab is being moved, issue 57'

A waiver is for a person to give. It ends by itself, is void when what is required changes, and is said by every gate
that it opens.")]
pub(crate) struct WaiveArgs {
    /// The requirement
    #[arg(value_name = "REQUIREMENT")]
    pub id: String,
    /// Who waives it
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "WHY")]
    pub reason: String,
    /// Until when: a day, to its end, or a time in UTC; at most a year ahead
    #[arg(long, value_name = "WHEN")]
    pub until: String,
    /// For this commit alone
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    #[command(flatten)]
    pub at: Where,
}

/// Which runs are fresh.
#[derive(Debug, Args)]
pub(crate) struct Fresh {
    /// Commits whose runs count; the one that is checked out when left out
    #[arg(long, value_name = "COMMIT", num_args = 1..)]
    pub commit: Vec<String>,
    /// Which run decides where one is enough
    #[arg(long, value_name = "WHICH", value_enum, default_value = "latest")]
    pub select: SelectName,
    /// Only the first N completed runs of the commits count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub max_attempts: Option<u64>,
}

/// Which run decides where one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectName {
    /// A newer run that contradicts holds the phase up
    Latest,
    /// One good run is enough
    Any,
}

/// `qa status`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa status
  probity qa status CHECKOUT-FLOW --commit 9f3c1e2")]
pub(crate) struct StatusArgs {
    /// Requirements; all when left out
    #[arg(value_name = "REQUIREMENT")]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub fresh: Fresh,
    #[command(flatten)]
    pub at: Where,
}

/// `qa gate`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa gate --phase verification
  probity qa gate --phase post_deploy --commit 9f3c1e2 --max-attempts 3
  probity qa gate --format json

Exit codes: 0 open, 7 refused, 5 where only undetermined requirements block. Runs count by their commit, never by the
clock. Every decision is kept in the index with what it rests on.")]
pub(crate) struct GateArgs {
    /// The phase; all of them when left out
    #[arg(long, value_name = "PHASE", value_enum)]
    pub phase: Option<PhaseName>,
    #[command(flatten)]
    pub fresh: Fresh,
    #[command(flatten)]
    pub at: Where,
}

/// `qa list`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa list
  probity qa list CHECKOUT-FLOW --limit 50")]
pub(crate) struct ListArgs {
    /// The requirement; all when left out
    #[arg(value_name = "REQUIREMENT")]
    pub id: Option<String>,
    /// As many at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub limit: u16,
    #[command(flatten)]
    pub at: Where,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// Everything, a JSON object a line; import reads it
    Jsonl,
    /// The runs as a table for people
    Csv,
    /// The runs as a table for programs that analyse
    Parquet,
}

/// `qa export`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa export -o qa.jsonl
  probity qa export --as csv CHECKOUT-FLOW -o runs.csv
  probity qa export --as parquet -o runs.parquet")]
pub(crate) struct ExportArgs {
    /// Requirements; all when left out
    #[arg(value_name = "REQUIREMENT")]
    pub ids: Vec<String>,
    /// The form
    #[arg(long = "as", value_enum, default_value = "jsonl", value_name = "FORM")]
    pub form: ExportForm,
    /// The file to write, if not standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub at: Where,
}

/// `qa import`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa import qa.jsonl
  probity qa export | probity qa import - --index postgres://qa@db/index

What is there already is left out; what contradicts it is refused, and then nothing is imported.")]
pub(crate) struct ImportArgs {
    /// The file; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub at: Where,
}

/// `qa flaky`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity qa flaky                                       the runs of the index
  probity qa flaky --runs runs.jsonl
  probity qa flaky --runs probity-runs --requirement 5e71e55e71e55e71
  export-runs | probity qa flaky --runs - --format json

A line is that of probity policy eval with requirement, commit, performed_by and judge, as far as they are known: what is
missing is named. A commit is flaky when runs of it both passed and failed. It exits 0 whatever it finds; 2 malformed runs")]
pub(crate) struct FlakyArgs {
    /// QA runs in the place of the index: JSON lines or a JSON array, `-` for standard input; run folders, folders of runs,
    /// run ids
    #[arg(long, value_name = "FILE|DIR|RUN", num_args = 1.., conflicts_with = "index")]
    pub runs: Vec<String>,
    /// Look at the runs of this requirement alone
    #[arg(long, value_name = "ID")]
    pub requirement: Option<String>,
    #[command(flatten)]
    pub at: Where,
}
