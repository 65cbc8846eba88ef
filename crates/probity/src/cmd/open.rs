//! `open`: the report of a run in the browser. What is opened is what the journal gives: a folder may come from
//! anywhere, and an edited report.html may hold anything (threats.md D5, D11).

use std::path::Path;
use std::process::{Command, Stdio};

use probity_core::json::Json;

use super::{fail_with, locate, report};
use crate::answer::site::Site;
use crate::cli::OneRun;
use crate::out::Out;
use crate::{answer, derive};

const REPORT: &str = "report.html";

/// Opens the report, or says where it lies.
pub(crate) fn open(args: &OneRun, out: Out) -> u8 {
    let dir = match locate(out, args.run.as_deref(), args.out.as_ref()) {
        Ok(dir) => dir,
        Err(exit) => return exit,
    };
    let verified = derive::verify(&dir, None, None);
    if let Err(exit) = report::reportable(&verified, &dir, out) {
        return exit;
    }
    if let Some(finding) = verified.findings.iter().find(|finding| finding.file.as_deref() == Some(REPORT)) {
        let help = format!("write it again: {} --as html -o FILE", Site::of(&dir).command("report", ""));
        return fail_with(out, finding.code, &format!("{REPORT}: {}; it is not opened", finding.message), &help, 6);
    }
    let file = dir.canonicalize().unwrap_or(dir).join(REPORT);
    let opened = has_display() && browse(&file);
    let path = file.to_string_lossy();
    if out.json {
        out.data(&answer::document(&Json::map([
            ("schema", Json::from("probity/open/1")),
            ("exit", 0.into()),
            ("run", verified.run.into()),
            ("file", answer::clip(&path, 1000).into()),
            ("opened", opened.into()),
        ])));
    } else {
        out.data(&format!("{}\n", probity_core::inert::inert(&path)));
        if !opened {
            out.talk("no browser could be started; open the file by hand");
        }
    }
    0
}

/// Whether somebody sits before a screen that a browser could use.
fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Starts the system's opener, and does not wait for the browser to be closed.
fn browse(file: &Path) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
