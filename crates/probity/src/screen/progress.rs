//! Progress on standard error: one line a case; on a terminal the step under way as well, drawn over itself.

use std::io::Write as _;

use super::block::safe;
use crate::engine::{CaseDone, Event};
use crate::out::Out;

/// The progress of one run.
pub(crate) struct Progress {
    out: Out,
    plan: String,
    live: bool,
    drawn: bool,
    blocked: bool,
}

impl Progress {
    /// Nothing has happened yet.
    pub(crate) fn begin(plan: &str, out: Out) -> Self {
        Self { out, plan: plan.to_owned(), live: out.live && !out.quiet, drawn: false, blocked: false }
    }

    /// Something happened.
    pub(crate) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Warning(message) => self.out.warn(message),
            Event::Opened(environment) => {
                let version = env!("CARGO_PKG_VERSION");
                self.say(&format!("probity {version}  {}  on {environment}", self.plan));
            }
            // Why stands in the block; several origins may be away.
            Event::Blocked(why) if !self.blocked => {
                self.blocked = true;
                let what = if why.starts_with("the plan check") { "plan check" } else { "preflight" };
                self.say(&format!("  {what}  BLOCKED before the first step"));
            }
            Event::Blocked(_) => {}
            Event::Service(what) => self.say(&format!("  service  {what}")),
            Event::Step(case, step, what) => self.draw(&format!("  {case}  {step}  {what}")),
            Event::Case(case) => self.say(&of_case(case)),
        }
    }

    fn say(&mut self, line: &str) {
        self.wipe();
        self.out.talk(&safe(line));
    }

    /// Draws the live line; it never reaches the edge, where a terminal would begin another one.
    fn draw(&mut self, line: &str) {
        if self.live {
            self.wipe();
            let line: String = safe(line).chars().take(78).collect();
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "{line}").and_then(|()| err.flush());
            self.drawn = true;
        }
    }

    fn wipe(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[2K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}

fn of_case(case: &CaseDone<'_>) -> String {
    let outcome = case
        .stopped
        .map_or_else(|| "passed".to_owned(), |(step, status)| format!("{} at step {step}", status.to_uppercase()));
    let title: String = case.title.chars().take(40).collect();
    let steps = if case.steps == 1 { "1 step ".to_owned() } else { format!("{} steps", case.steps) };
    let tenths = case.ms / 100;
    format!("  {:<12}  {title:<40}  {steps:>8}  {}.{}s  {outcome}", case.id, tenths / 10, tenths % 10)
}
