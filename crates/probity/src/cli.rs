//! The command line, as typed. Each command's module says what is meant by it.

pub(crate) mod guard;
pub(crate) mod judge;
pub(crate) mod playwright;
pub(crate) mod policy;
pub(crate) mod qa;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use probity_core::journal::opened::MOST_JOBS;

use crate::out::ColorChoice;

/// Says whether a requirement is met, and proves it.
#[derive(Debug, Parser)]
#[command(name = "probity", version, about, max_term_width = 100, after_help = AFTER)]
pub(crate) struct Cli {
    /// How answers are written
    #[arg(long, global = true, value_enum, default_value = "human", env = "PROBITY_FORMAT")]
    pub format: Format,
    /// When colour is used
    #[arg(long, global = true, value_enum, default_value = "auto", env = "PROBITY_COLOR")]
    pub color: ColorChoice,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
Examples:
  probity demo                     see a bug that no status code shows
  probity init                     write a plan to start from
  probity run                      run the plans of this folder
  probity verify                   work the newest verdict out again from its bytes
  probity why                      what stands between the newest run and a pass
  probity doctor                   what this machine offers

Exit codes: 0 passed, 1 failed, 2 usage or malformed input, 3 blocked, 4 nothing ran,
5 inconclusive, 6 integrity, 7 gate refused, 130 interrupted";

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a small shop with a bug, and prove it
    Demo(DemoArgs),
    /// Write a plan and settings to start from
    Init(InitArgs),
    /// Run plans and keep what was seen
    Run(RunArgs),
    /// Work a run's verdict out again from its bytes
    Verify(VerifyArgs),
    /// Say what stands between a run and a pass
    Why(OneRun),
    /// Show a criterion, case, step or piece of evidence of a run
    Show(ShowArgs),
    /// Write a report of a run
    Report(ReportArgs),
    /// Open the report of a run in the browser
    Open(OneRun),
    /// Say what a code means
    Explain(ExplainArgs),
    /// Check or expand a plan without running it
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Judge QA runs by a success policy
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Keep requirements and their QA runs, and ask whether a phase is open
    #[command(subcommand)]
    Qa(qa::QaCommand),
    /// Ask the write guard of Playwright runs
    #[command(subcommand)]
    Guard(guard::GuardCommand),
    /// Put the write guard into a Playwright project
    #[command(subcommand)]
    Playwright(playwright::PlaywrightCommand),
    /// Have something judged that rules cannot judge, by a program whose votes are tried
    #[command(subcommand)]
    Judge(judge::JudgeCommand),
    /// Show the host profile of a project that tests with Playwright
    #[command(subcommand)]
    Profile(playwright::ProfileCommand),
    /// Check the cases of a feature
    #[command(subcommand)]
    Cases(playwright::CasesCommand),
    /// Take over what another program has run
    #[command(subcommand)]
    Import(playwright::ImportCommand),
    /// Show every setting in effect, and where it comes from
    Settings(SettingsArgs),
    /// Say what this machine offers, and what is missing
    Doctor(DoctorArgs),
    /// Write completions for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Man(ManArgs),
    /// Write the JSON Schemas of what people write
    #[command(hide = true)]
    Schema(SchemaArgs),
}

/// Which run.
#[derive(Debug, Args)]
pub(crate) struct OneRun {
    /// A run: its folder, its id or the beginning of it; the newest when left out
    pub run: Option<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// `demo`
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Run the shop without its bug
    #[arg(long)]
    pub fixed: bool,
    /// Edit a copy of the run and show that verification refuses it
    #[arg(long, conflicts_with = "fixed")]
    pub tamper: bool,
    /// Where to keep the demo's files and run, if not in a new temporary folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What the demo's own plan runs to read the shop's store
    #[arg(long, hide = true, value_names = ["STORE", "ORDER"], num_args = 2,
          conflicts_with_all = ["fixed", "tamper", "out"])]
    pub read_order: Option<Vec<String>>,
}

/// `init`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity init                                             a plan for http://127.0.0.1:8080
  probity init --url http://127.0.0.1:8080/api/items       asks once, and writes down which status came
  probity init shop --url https://staging.shop.example/health")]
pub(crate) struct InitArgs {
    /// The folder to write into
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// Where the service answers: it is asked once, with GET, and the plan says what came
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
}

/// `run`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity run order-total.probity.yaml
  probity run qa --env staging
  probity run --only ORDER-2            a part never passes the whole
  probity run --jobs 8                  up to eight cases of a plan side by side
  probity run --repeat 5                five runs, one budget; the worst decides
  probity run --plan-only               what would be run, and nothing is: exit 4
  probity run --resume 20261130T1424    close a run whose process was lost")]
pub(crate) struct RunArgs {
    /// Plans, or folders that hold plans; the working folder when left out
    #[arg(value_name = "PLAN|DIR")]
    pub plans: Vec<PathBuf>,
    /// The environment, by its name in probity.yaml
    #[arg(long, value_name = "NAME", env = "PROBITY_ENV")]
    pub env: Option<String>,
    /// Run only what covers these cases or criteria; the claim is capped
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub only: Vec<String>,
    /// Let a code through; the claim is capped
    #[arg(long, value_name = "CODE", num_args = 1..)]
    pub allow: Vec<String>,
    /// Run up to N cases of a plan side by side, 1 to 64; one after another when left out and not under limits.jobs of
    /// probity.yaml
    #[arg(long, value_name = "N", env = "PROBITY_JOBS", value_parser = clap::value_parser!(u64).range(1..=MOST_JOBS))]
    pub jobs: Option<u64>,
    /// Make N runs of each plan, one after another, within one budget; exit with the worst
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "challenge")]
    pub repeat: u32,
    /// Check, connect, and say what would be run; nothing is sent and nothing kept, and it never passes
    #[arg(long, conflicts_with_all = ["challenge", "repeat"])]
    pub plan_only: bool,
    /// A single-use value that a signer issued, to be sealed in the run
    #[arg(long, value_name = "VALUE")]
    pub challenge: Option<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
    /// The index of QA runs that outcomes are recorded in, where there is one; _qa/index.sqlite beside the runs when left out
    #[arg(long, value_name = "FILE|URL", env = "PROBITY_QA_INDEX", hide_env_values = true)]
    pub index: Option<String>,
    /// Close a run that was never closed; of a closed run, write the views again
    #[arg(long, value_name = "RUN", conflicts_with_all = ["plans", "env", "only", "allow", "repeat", "plan_only", "challenge"])]
    pub resume: Option<String>,
}

/// `verify`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity verify
  probity verify probity-runs/20261130T142402Z-order-total-7f3a91c2
  probity verify RUN --seal 214:7f3a91c2d4e8b016
  probity verify RUN --plan order-total.probity.yaml --max-age 7d")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub run: OneRun,
    /// Exit 0 for any intact run, whatever its verdict
    #[arg(long)]
    pub integrity_only: bool,
    /// The seal that the journal must have: entry count and 16 digits of its head
    #[arg(long, value_name = "SEAL")]
    pub seal: Option<String>,
    /// Demand a signature. This version makes and reads none, so it is never met
    #[arg(long)]
    pub require_signature: bool,
    /// Whose signatures are believed, in the form of OpenSSH's allowed_signers
    #[arg(long, value_name = "FILE")]
    pub allowed_signers: Option<PathBuf>,
    /// Demand this subject: the build that the running system named or, where nothing but commands was asked, the
    /// SHA-256 of a program or script that was started
    #[arg(long, value_name = "BUILD|DIGEST")]
    pub subject: Option<String>,
    /// Demand this plan
    #[arg(long, value_name = "FILE|DIGEST")]
    pub plan: Option<String>,
    /// Demand this requirement
    #[arg(long, value_name = "FILE|DIGEST")]
    pub requirement: Option<String>,
    /// Demand this environment
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Demand that the run is no older, by its own clock
    #[arg(long, value_name = "DURATION")]
    pub max_age: Option<String>,
    /// The run list to compare with, if not the one beside the run
    #[arg(long, value_name = "FILE")]
    pub index: Option<PathBuf>,
}

/// `show`
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// What to show: a criterion, case, step, or a handle such as e3
    #[arg(value_name = "[RUN] ID", num_args = 1..=2, required = true)]
    pub words: Vec<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
    /// The largest JSON answer in bytes
    #[arg(long, value_name = "N", default_value_t = 8192)]
    pub max_bytes: usize,
}

/// `report`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity report                                 Markdown of the newest run
  probity report RUN --as junit -o junit.xml
  probity report RUN1 RUN2 --as html -o all.html  one row a requirement")]
pub(crate) struct ReportArgs {
    /// Runs: folders, ids or beginnings of them; the newest when left out. Several make one page of HTML
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
    /// The form
    #[arg(long = "as", value_enum, default_value = "md", value_name = "FORM")]
    pub form: ReportForm,
    /// The file to write, if not standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// One HTML file that fetches nothing
    Html,
    /// Markdown
    Md,
    /// JUnit XML
    Junit,
    /// Common Test Report Format, JSON
    Ctrf,
    /// The JSON answer of `run`
    Json,
}

/// `explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code
    #[arg(required_unless_present = "all")]
    pub code: Option<String>,
    /// Every code
    #[arg(long, conflicts_with = "code")]
    pub all: bool,
    /// As the page docs/rules.md
    #[arg(long, hide = true, requires = "all")]
    pub markdown: bool,
}

/// `plan`
#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Check a plan: everything that can be decided without running it
    Check(PlanArgs),
    /// Show the seed form that a written plan stands for
    Expand(PlanArgs),
    /// Draft a plan from requests that you have already
    New(NewArgs),
}

/// `plan new`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity plan new --from har session.har > session.probity.yaml
  pbpaste | probity plan new --from curl -o order.probity.yaml
  probity plan new --from openapi openapi.yaml

A draft claims statuses alone, and passes the check. What was answered beyond that stands in comments: it is no
requirement until you say so. What cannot be carried over is said on standard error; secrets never get into it.")]
pub(crate) struct NewArgs {
    /// What the source is
    #[arg(long, value_enum)]
    pub from: DraftFrom,
    /// The source; standard input when left out
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The file to write, if not standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What a plan is drafted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DraftFrom {
    /// A curl command
    Curl,
    /// A HAR 1.2 file
    Har,
    /// A Hurl file
    Hurl,
    /// An OpenAPI 3 document, JSON or YAML
    Openapi,
}

/// `plan check`, `plan expand`
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Plans, or folders that hold plans; the working folder when left out
    #[arg(value_name = "PLAN|DIR")]
    pub plans: Vec<PathBuf>,
    /// The environment, by its name in probity.yaml
    #[arg(long, value_name = "NAME", env = "PROBITY_ENV")]
    pub env: Option<String>,
}

/// `settings`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity settings
  PROBITY_ENV=staging probity settings
  probity settings --env staging --format json

A flag wins over a variable, a variable over probity.yaml. What a verifier trusts is said by a flag of verify alone.")]
pub(crate) struct SettingsArgs {
    /// The environment, by its name in probity.yaml
    #[arg(long, value_name = "NAME", env = "PROBITY_ENV")]
    pub env: Option<String>,
    /// How many cases of a plan are run side by side
    #[arg(long, value_name = "N", env = "PROBITY_JOBS", value_parser = clap::value_parser!(u64).range(1..=MOST_JOBS))]
    pub jobs: Option<u64>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// `doctor`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity doctor
  probity doctor --format json

Nothing is sent, and only this machine is asked. The exit code is 0 whatever is missing.")]
pub(crate) struct DoctorArgs {
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// `man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write into
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `completions`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity completions bash > ~/.local/share/bash-completion/completions/probity
  probity completions zsh > ~/.zfunc/_probity
  probity completions fish > ~/.config/fish/completions/probity.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `schema`
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The folder to write into
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}
