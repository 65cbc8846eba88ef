//! `playwright`, `profile`, `cases` and `import`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `playwright`
#[derive(Debug, Subcommand)]
pub(crate) enum PlaywrightCommand {
    /// Write the write guard into a project
    Init(InitArgs),
}

/// `playwright init`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity playwright init                 into tests/, where Playwright looks for specs by default
  probity playwright init e2e --replace   takes the place of files that an older probity wrote

It writes write-guard.mjs (the decisions), write-guard.fixture.ts (the fixture: import { test, expect } from it in each
spec) and write-guard.eslint.mjs (a rule that finds specs without it). Nothing else in the project is touched.")]
pub(crate) struct InitArgs {
    /// The folder of the specs
    #[arg(default_value = "tests", value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Write over what is there and differs
    #[arg(long)]
    pub replace: bool,
}

/// `profile`
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Check a host profile and show it with what is in effect
    Show(ProfileShowArgs),
}

/// `cases`
#[derive(Debug, Subcommand)]
pub(crate) enum CasesCommand {
    /// Check a cases file: its fields, its expected outcomes, its fixtures and requirements
    Check(CasesCheckArgs),
}

/// `import`
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Make the report of a finished Playwright run
    Playwright(PlaywrightArgs),
}

/// `profile show`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity profile show qa-pilot.config.yaml
  probity profile show probity.yaml --format json

Exit codes: 0 nothing refused, 1 refusals, 2 unreadable")]
pub(crate) struct ProfileShowArgs {
    /// The host profile: qa-pilot.config.yaml or probity.yaml
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `cases check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity cases check testing/orders/cases.yaml --profile qa-pilot.config.yaml
  probity cases check testing/orders/cases.yaml          with the probity.yaml of the project

Exit codes: 0 nothing refused, 1 refusals, 2 unreadable")]
pub(crate) struct CasesCheckArgs {
    /// The cases file, in the folder of its feature
    #[arg(value_name = "CASES")]
    pub cases: PathBuf,
    /// The host profile; the project's settings file when left out
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
}

/// `import playwright`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity import playwright testing/orders/runs/R/results.json testing/orders/runs/R/meta.json
  probity import playwright results.json meta.json -o report.json

The folder of meta.json is the run folder: paths count from it, and the report is written there.
Exit codes: 0 written, 2 unreadable, 6 the report is empty or cut")]
pub(crate) struct PlaywrightArgs {
    /// What Playwright's json reporter wrote
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// The metadata of the run
    #[arg(value_name = "META")]
    pub meta: PathBuf,
    /// Case ids and their spec files, for runs without spec-shas.json
    #[arg(long, value_name = "MAP")]
    pub specs: Option<PathBuf>,
    /// Where the report is written, if not as report.json in the run folder
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}
