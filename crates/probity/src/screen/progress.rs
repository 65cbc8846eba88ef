//! Progress on standard error: one line a case, when it ends; on a terminal what is under way as well, drawn over itself.

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
    under_way: Vec<UnderWay>,
}

/// A case that is under way.
struct UnderWay {
    case: String,
    step: String,
    /// What the step does.
    what: String,
}

impl Progress {
    /// Nothing has happened yet.
    pub(crate) fn begin(plan: &str, out: Out) -> Self {
        let live = out.live && !out.quiet;
        Self { out, plan: plan.to_owned(), live, drawn: false, blocked: false, under_way: Vec::new() }
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
            Event::Step(case, step, what) => self.step(case, step, what),
            Event::Case(case) => {
                self.under_way.retain(|other| other.case != case.id);
                self.say(&of_case(case));
                self.draw();
            }
        }
    }

    fn say(&mut self, line: &str) {
        self.wipe();
        self.out.talk(&safe(line));
    }

    fn step(&mut self, case: &str, step: &str, what: &str) {
        let now = UnderWay { case: case.to_owned(), step: step.to_owned(), what: what.to_owned() };
        match self.under_way.iter_mut().find(|other| other.case == case) {
            Some(known) => *known = now,
            None => self.under_way.push(now),
        }
        self.draw();
    }

    /// Draws the live line; it never reaches the edge, where a terminal would begin another one.
    fn draw(&mut self) {
        if self.live && !self.under_way.is_empty() {
            self.wipe();
            let line: String = safe(&live_line(&self.under_way)).chars().take(78).collect();
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
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

/// What is under way, in one line: of one case what it does, of several which step each is at.
fn live_line(under_way: &[UnderWay]) -> String {
    match under_way {
        [UnderWay { case, step, what }] => format!("  {case}  {step}  {what}"),
        several => {
            let steps: Vec<&str> = several.iter().map(|one| one.step.as_str()).collect();
            format!("  {} under way: {}", several.len(), steps.join("  "))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_live_line_says_what_is_under_way() {
        let at = |case: &str, step: &str| UnderWay { case: case.into(), step: step.into(), what: "GET /items".into() };
        assert_eq!(live_line(&[at("A-1", "A-1.2")]), "  A-1  A-1.2  GET /items");
        assert_eq!(live_line(&[at("A-1", "A-1.2"), at("B-7", "B-7.1")]), "  2 under way: A-1.2  B-7.1");
    }
}
