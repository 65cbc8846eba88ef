//! `playwright`: what probity puts into a Playwright project.

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
