//! `policy check`: whether policies can be evaluated, and what is likely wrong with them.

use std::io::Write as _;

use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::success_policy::lint;
use probity_formats::draw::{Style, draw};

use super::{Source, source};
use crate::answer;
use crate::cli::policy::CheckArgs;
use crate::cmd::plan::guarded;
use crate::out::Out;
use crate::screen;

/// Checks policies: 0 where each can be evaluated, 1 where one cannot, 2 where one cannot be read.
pub(super) fn check(args: &CheckArgs, out: Out) -> u8 {
    let mut checked: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    for file in &args.files {
        match source(file, out) {
            Ok(source) => {
                let found = lint(&source.name, &source.text);
                checked.push((source, found));
            }
            Err(exit) => return exit,
        }
    }
    let exit = u8::from(checked.iter().any(|(source, _)| source.policy.is_err()));
    if out.json {
        out.data(&answer::document(&answer::policy::check(&checked, exit)));
        return exit;
    }
    let style = Style { color: out.color, ascii: true, width: out.width };
    let mut text = Vec::new();
    for (source, found) in &checked {
        let words = String::from_utf8_lossy(&source.text).into_owned();
        let drawn = draw(found, &|name| (name == source.name).then(|| words.clone()), style);
        drawn.lines().for_each(|line| {
            let _ = writeln!(text, "{}", guarded(line));
        });
        if !found.is_empty() {
            text.push(b'\n');
        }
        let errors = found.iter().filter(|one| one.severity == Severity::Error).count();
        text.extend(screen::policy::checked(source, errors, found.len() - errors, out).into_bytes());
    }
    out.data(&String::from_utf8_lossy(&text));
    exit
}
