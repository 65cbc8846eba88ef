//! Other programs: started in the root of the tree, with their output shown, caught or counted.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::tree;

/// A command in the root of the tree.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(tree::root());
    command
}

/// Cargo, the one that started us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    command(&cargo, arguments)
}

/// Whether a program can be started at all.
pub(crate) fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Runs it with its output shown. The error is its exit code: what a signal ended counts as 1.
pub(crate) fn show(command: &mut Command) -> Result<(), i32> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.code().unwrap_or(1)),
        Err(error) => {
            eprintln!("error: {} cannot be started: {error}", command.get_program().display());
            Err(1)
        }
    }
}

/// Runs it and gives what it wrote to stdout; stderr is shown.
pub(crate) fn catch(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{name} cannot be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("{name} ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name} wrote something other than UTF-8"))
}

/// Which stream of a program is listened to.
pub(crate) enum Stream {
    Out,
    Err,
}

/// Runs it with its output shown, and hands each line of one stream to `line` as well.
pub(crate) fn listen(command: &mut Command, stream: &Stream, mut line: impl FnMut(&str)) -> Result<(), i32> {
    match stream {
        Stream::Out => command.stdout(Stdio::piped()),
        Stream::Err => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().map_err(|error| {
        eprintln!("error: {} cannot be started: {error}", command.get_program().display());
        1
    })?;
    if let Some(pipe) = child.stderr.take() {
        BufReader::new(pipe).lines().map_while(Result::ok).for_each(|text| {
            eprintln!("{text}");
            line(&text);
        });
    }
    if let Some(pipe) = child.stdout.take() {
        BufReader::new(pipe).lines().map_while(Result::ok).for_each(|text| {
            println!("{text}");
            line(&text);
        });
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.code().unwrap_or(1)),
        Err(_) => Err(1),
    }
}
