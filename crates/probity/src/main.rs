//! The program: arguments → command → exit code.

mod answer;
mod cli;
mod cmd;
mod ctrf;
mod demo;
mod derive;
mod draft;
mod engine;
mod github;
mod html;
mod judging;
mod junit;
mod out;
mod plans;
mod project;
mod qa_runs;
mod read_plan;
mod screen;

use std::process::ExitCode;

use clap::Parser as _;

use cli::playwright::{CasesCommand, ImportCommand, ProfileCommand};
use cli::{Cli, Command, Format, PlanCommand};
use out::{ColorChoice, Out};

/// A run makes and drops many small values: measured, this allocator takes a sixth off its CPU time
/// (docs/decisions/0007-allocator.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cmd::usage(&error),
    };
    let out = Out::new(cli.format == Format::Json, cli.color);
    ExitCode::from(match cli.command {
        Command::Demo(args) => cmd::demo::demo(&args, out),
        Command::Init(args) => cmd::init::init(&args, out),
        Command::Run(args) => cmd::run::run(&args, out),
        Command::Verify(args) => cmd::verify::verify(&args, out),
        Command::Why(args) => cmd::why::why(&args, out),
        Command::Show(args) => cmd::show::show(&args, out),
        Command::Report(args) => cmd::report::report(&args, out),
        Command::Open(args) => cmd::open::open(&args, out),
        Command::Explain(args) => cmd::explain::explain(&args, out),
        Command::Plan(PlanCommand::Check(args)) => cmd::plan::check(&args, out),
        Command::Plan(PlanCommand::Expand(args)) => cmd::plan::expand(&args, out),
        Command::Policy(command) => cmd::policy::policy(&command, out),
        Command::Qa(command) => cmd::qa::qa(&command, out),
        Command::Guard(command) => cmd::guard::guard(&command, out),
        Command::Playwright(command) => cmd::playwright::playwright(&command, out),
        Command::Judge(command) => cmd::judge::judge(&command, out),
        Command::Profile(ProfileCommand::Show(args)) => cmd::profile::show(&args, out),
        Command::Cases(CasesCommand::Check(args)) => cmd::cases::check(&args, out),
        Command::Import(ImportCommand::Playwright(args)) => cmd::import::playwright(&args, out),
        Command::Settings(args) => cmd::settings::settings(&args, out),
        Command::Doctor(args) => cmd::doctor::doctor(&args, out),
        Command::Plan(PlanCommand::New(args)) => cmd::new::new(&args, out),
        Command::Completions(args) => cmd::completions::completions(&args),
        Command::Man(args) => cmd::completions::man(&args, out),
        Command::Schema(args) => cmd::schema::schema(&args, out),
    })
}
