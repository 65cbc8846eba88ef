//! `completions` for a shell, and the manual pages.

use clap::CommandFactory as _;
use probity_core::codes::Code;

use super::fail;
use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::out::Out;

/// Writes completions to standard output.
pub(crate) fn completions(args: &CompletionsArgs) -> u8 {
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "probity", &mut std::io::stdout());
    0
}

/// Writes a manual page for the program and for each command.
pub(crate) fn man(args: &ManArgs, out: Out) -> u8 {
    let written = std::fs::create_dir_all(&args.out).and_then(|()| clap_mangen::generate_to(Cli::command(), &args.out));
    match written {
        Ok(()) => 0,
        Err(error) => {
            let message = format!("{} cannot be written: {error}", args.out.display());
            fail(out, Code::FolderUnwritable, &message, "choose another folder")
        }
    }
}
