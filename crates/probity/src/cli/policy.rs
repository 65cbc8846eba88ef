//! `policy`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `policy`
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check success policies: whether they can be evaluated, and what is likely wrong
    Check(CheckArgs),
    /// Say what runs come to under a success policy
    Eval(EvalArgs),
    /// Say it with every run, how sure one may be, and what would turn it
    Explain(ExplainArgs),
    /// Say what other runs, or another policy, would come to; nothing is written
    WhatIf(WhatIfArgs),
    /// Write the JSON Schema of a success policy
    Schema,
    /// Carry other forms of success policies over into version 1
    Import(ImportArgs),
}

/// `policy check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity policy check flow.policy.json
  echo '{\"type\": \"threshold\", \"metric\": \"score\", \"threshold\": 3.5}' | probity policy check -

Exit codes: 0 can be evaluated, 1 cannot, 2 unreadable")]
pub(crate) struct CheckArgs {
    /// Files that hold the text of a policy column; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// What is judged, and by what.
#[derive(Debug, Args)]
pub(crate) struct Judged {
    /// The text of the policy column; empty means no policy. `-` is standard input. With --index, the requirement's own when
    /// left out
    #[arg(long, value_name = "FILE", required_unless_present = "index")]
    pub policy: Option<PathBuf>,
    /// QA runs: JSON lines or a JSON array, `-` for standard input; run folders, folders of runs, run ids
    #[arg(long, value_name = "FILE|DIR|RUN", num_args = 1.., required_unless_present = "index")]
    pub runs: Vec<String>,
    /// Every run of a requirement in the index of QA runs, reported and of whatever commit
    #[arg(long, value_name = "FILE|URL", requires = "requirement", conflicts_with = "runs")]
    pub index: Option<String>,
    /// Of the index, the runs of these commits alone
    #[arg(long, value_name = "COMMIT", num_args = 1.., requires = "index")]
    pub commit: Vec<String>,
    /// Count the runs of this requirement alone: the field requirement of a line, the series of a run folder
    #[arg(long, value_name = "ID")]
    pub requirement: Option<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// `policy eval`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity policy eval --policy flow.policy.json --runs runs.jsonl
  export-runs | probity policy eval --policy flow.policy.json --runs -
  probity policy eval --policy flow.policy.json --runs probity-runs --requirement 5e71e55e71e55e71
  probity policy eval --index probity-runs/_qa/index.sqlite --requirement CHECKOUT-FLOW

A line is {\"verdict\", \"score\", \"confidence\", \"raw_result\", \"created_at\"}; their order never matters.
Exit codes: 0 satisfied, 1 failed, 5 undetermined, 2 invalid policy or malformed runs")]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    pub judged: Judged,
}

/// `policy explain`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity policy explain --policy flow.policy.json --runs runs.jsonl
  probity policy explain --policy flow.policy.json --runs runs.jsonl --all

Exit codes are those of probity policy eval")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub judged: Judged,
    /// Show every run, not only the newest
    #[arg(long)]
    pub all: bool,
}

/// `policy what-if`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity policy what-if --policy flow.policy.json --runs runs.jsonl --add 4*pass
  probity policy what-if --policy flow.policy.json --runs runs.jsonl --add fail@0.9 --add '{\"verdict\": \"pass\", \"score\": 4}'
  probity policy what-if --policy flow.policy.json --runs runs.jsonl --set min_pass_rate=0.8
  probity policy what-if --policy old.json --instead new.json --runs runs.jsonl     which requirements would flip

The exit code is that of the outcome that would be; of several requirements, the worst")]
pub(crate) struct WhatIfArgs {
    #[command(flatten)]
    pub judged: Judged,
    /// Runs that there are not: N*VERDICT@CONFIDENCE, or a JSON object
    #[arg(long, value_name = "RUN")]
    pub add: Vec<String>,
    /// Another policy over the same runs
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    pub instead: Option<PathBuf>,
    /// Another value of a field of the policy, as JSON or as a text
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
}

/// `policy import`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity policy import old.json > flow.policy.json
  echo 'All tests green' | probity policy import -

Exit codes: 0 carried over, 1 it cannot be said in version 1, 2 unreadable")]
pub(crate) struct ImportArgs {
    /// The text of a policy column; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The file to write, if not standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
