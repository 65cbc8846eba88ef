//! What to do next: at most three moves, each with whose it is. None of them makes a check weaker.

use probity_core::codes::{Code, Who};
use probity_core::json::Json;
use probity_core::judged::Judged;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::clip;
use super::facts::plan_name;
use super::remedy::{self, Act};
use super::site::{Site, word};

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// `look`, `fix`, `run`, `ask`.
    pub act: &'static str,
    /// Whose move it is.
    pub who: Who,
    /// The code or word that it answers.
    pub why: String,
    /// What to do.
    pub how: How,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A command, and what it is good for.
    Command(String, String),
    /// Text for a file, at a line if it is known.
    Line(String, Option<u32>, String),
    /// In words.
    Hint(String),
}

impl Move {
    fn command(act: &'static str, who: Who, why: &str, command: String, note: &str) -> Self {
        Self { act, who, why: why.to_owned(), how: How::Command(command, note.to_owned()) }
    }

    /// `{do, who: agent|person, why, cmd, file, line, text, hint}`
    pub(crate) fn to_json(&self) -> Json {
        // To start a service or to repair a product is work that an agent may do.
        let who = if self.who == Who::Person { "person" } else { "agent" };
        let (mut cmd, mut file, mut line, mut text, mut hint) = (None, None, None, None, None);
        match &self.how {
            How::Command(command, note) => {
                cmd = Some(clip(command, 300));
                hint = Some(clip(note, 200)).filter(|note| !note.is_empty());
            }
            How::Line(name, number, lines) => {
                (file, line, text) = (Some(clip(name, 200)), *number, Some(clip(lines, 400)));
            }
            How::Hint(words) => hint = Some(clip(words, 300)),
        }
        Json::map([
            ("do", Json::from(self.act)),
            ("who", who.into()),
            ("why", self.why.as_str().into()),
            ("cmd", cmd.into()),
            ("file", file.into()),
            ("line", line.into()),
            ("text", text.into()),
            ("hint", hint.into()),
        ])
    }
}

/// The moves after a run or its verification.
pub(crate) fn of(verified: &Verified, site: &Site) -> Vec<Move> {
    let mut moves = if verified.only_views_differ() {
        stale(verified, site)
    } else if !verified.is_intact() {
        broken(verified, site)
    } else if !verified.closed {
        open(verified, site)
    } else {
        verified.judged.as_ref().map_or_else(Vec::new, |judged| closed(judged, verified, site))
    };
    moves.truncate(3);
    moves
}

fn first_code(verified: &Verified) -> &'static str {
    verified.findings.first().map_or("journal_unreadable", |finding| finding.code.as_str())
}

fn stale(verified: &Verified, site: &Site) -> Vec<Move> {
    let again = site.named("run --resume");
    vec![Move::command("fix", Who::Agent, first_code(verified), again, "writes the views again, nothing else")]
}

fn broken(verified: &Verified, site: &Site) -> Vec<Move> {
    let code = first_code(verified);
    let fetch = format!("fetch the run folder again from where it was made, then: {}", site.named("verify"));
    vec![
        Move { act: "fix", who: Who::Agent, why: code.to_owned(), how: How::Hint(fetch) },
        Move::command("look", Who::Agent, code, format!("probity explain {code}"), "what the code means"),
    ]
}

fn open(verified: &Verified, site: &Site) -> Vec<Move> {
    let close = site.named("run --resume");
    let mut moves = vec![Move::command("run", Who::Agent, "not_closed", close, "closes it with what is not known")];
    if let Some(judged) = &verified.judged {
        moves.push(Move::command("run", Who::Agent, "not_closed", rerun(judged), "a new run, the next attempt"));
    }
    moves
}

fn rerun(judged: &Judged) -> String {
    format!("probity run {}", word(&plan_name(judged)))
}

fn closed(judged: &Judged, verified: &Verified, site: &Site) -> Vec<Move> {
    let first = judged.reasons().first();
    match (judged.status(), first) {
        (Status::Passed, _) | (_, None) => {
            let seal = verified.seal.as_ref().map_or_else(String::new, |seal| format!("--seal {seal}"));
            vec![
                Move::command("look", Who::Agent, "passed", site.command("report", ""), "the report"),
                Move::command("look", Who::Agent, "passed", site.command("verify", &seal), "checks it, anywhere"),
            ]
        }
        (Status::Failed, Some(first)) => failed(judged, first.code, site),
        (_, Some(first)) => {
            let remedy = remedy::of(judged, first, site);
            let code = first.code.as_str();
            let mut moves = vec![of_remedy(remedy.who, code, remedy.act)];
            moves.extend(remedy::start_it(judged, first).map(|act| of_remedy(Who::Agent, code, act)));
            let why = site.command("why", "");
            moves.push(Move::command("look", Who::Agent, code, why, "every gap with what closes it"));
            let again = rerun(judged);
            if !moves.iter().any(|one| matches!(&one.how, How::Command(command, _) if *command == again)) {
                moves.push(Move::command("run", Who::Agent, code, again, "when that is done"));
            }
            moves
        }
    }
}

fn failed(judged: &Judged, first: Code, site: &Site) -> Vec<Move> {
    let id = judged.criteria().iter().find(|criterion| criterion.status == Status::Failed);
    let about = id.map_or_else(|| "e1".to_owned(), |criterion| criterion.id.to_string());
    let show = site.command("show", &about);
    let mut moves = vec![
        Move::command("look", Who::Product, "requirement_failed", show, "request, answer and checks side by side"),
        Move::command("run", Who::Agent, "requirement_failed", rerun(judged), "after the repair"),
    ];
    // Nothing may be said of the product before the environment is settled.
    if let Some(reason) = judged.reasons().first().filter(|_| first != Code::RequirementFailed) {
        let remedy = remedy::of(judged, reason, site);
        moves.insert(0, of_remedy(remedy.who, first.as_str(), remedy.act));
    }
    moves
}

fn of_remedy(who: Who, code: &str, act: Act) -> Move {
    let word = match (&act, who) {
        // What a target is and whose data it holds is for a person to say.
        (_, Who::Person) => "ask",
        (Act::Command(command, _), _) if command.starts_with("probity run") => "run",
        (Act::Command(..), _) => "look",
        (Act::Line { .. }, _) => "fix",
        (Act::Person(_), _) => "ask",
    };
    let how = match act {
        Act::Command(command, note) => How::Command(command, note),
        Act::Line { file, line, text, .. } => How::Line(file, line, text),
        Act::Person(what) => How::Hint(what),
    };
    Move { act: word, who, why: code.to_owned(), how }
}
