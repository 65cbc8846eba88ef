//! Standard output and standard error: data on one, talk on the other, and a reader that goes away ends quietly.

use std::io::{IsTerminal as _, Write as _};

/// What every command is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    /// Whether answers are JSON.
    pub json: bool,
    /// Whether standard output is drawn in colour.
    pub color: bool,
    /// Whether standard error is.
    pub color_err: bool,
    /// Whether progress is drawn over itself: standard error is a terminal.
    pub live: bool,
    /// Whether nothing but the answer is written: an agent reads both streams (ux.md section 3).
    pub quiet: bool,
    /// Columns of the terminal, 100 elsewhere.
    pub width: usize,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Variables by which agents make themselves known.
const AGENTS: [&str; 6] =
    ["CLAUDECODE", "AI_AGENT", "VSCODE_AGENT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "PROBITY_AGENT"];

/// The variable by which an agent has made itself known, if one is set.
pub(crate) fn agent() -> Option<&'static str> {
    AGENTS.into_iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

impl Out {
    /// From the flags and the environment.
    pub(crate) fn new(json: bool, choice: ColorChoice) -> Self {
        let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let color = |terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => set("FORCE_COLOR") || (terminal && !set("NO_COLOR")),
        };
        let agent = agent().is_some();
        Self {
            json,
            color: color(out) && !json,
            color_err: color(err),
            live: err && !agent && !set("CI"),
            quiet: !out && agent,
            width: 100,
        }
    }

    /// Writes to standard output. A reader that went away is a quiet end.
    pub(crate) fn data(self, text: &str) {
        let mut out = std::io::stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(0);
        }
    }

    /// Writes a line to standard error, unless only answers are wanted.
    pub(crate) fn talk(self, line: &str) {
        if !self.quiet {
            line_on_stderr(line);
        }
    }

    /// Writes a warning to standard error.
    pub(crate) fn warn(self, message: &str) {
        line_on_stderr(&format!("warning: {message}"));
    }
}

/// In one write, so that nothing else comes into the middle of a line.
fn line_on_stderr(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
