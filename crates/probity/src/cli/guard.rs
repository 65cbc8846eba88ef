//! `guard`: the decisions of the write guard.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `guard`
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Say what the guard of Playwright runs does about controls and requests
    Decide(DecideArgs),
}

/// `guard decide`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity guard decide questions.json
  echo '[{\"kind\": \"request\", \"config\": {\"write_signatures\": [{\"method\": \"POST\", \"url\": \"/api/\"}]},
    \"input\": {\"method\": \"POST\", \"url\": \"https://shop.example/api/orders\", \"body\": null},
    \"state\": {\"policy\": \"read-only\"}}]' | probity guard decide -

A question has kind (control, request or config), config (the mutation block of a host profile, or null), input and
state. The answer is a list, in the same order, of {action, reason}, or of {throws} where no guard could stand.")]
pub(crate) struct DecideArgs {
    /// A JSON list of questions; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
