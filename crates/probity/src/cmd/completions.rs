//! `completions`: for a shell.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};

/// Writes completions to standard output.
pub(crate) fn completions(args: &CompletionsArgs) -> u8 {
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "probity", &mut std::io::stdout());
    0
}
