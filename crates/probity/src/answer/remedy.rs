//! What closes a gap: a command, a line to paste, or a person. A remedy never makes a check weaker: none drops an
//! expectation, widens a bound, lets a code through or narrows what is run.

use probity_core::codes::{Code, Who};
use probity_core::environment::Origin;
use probity_core::json::Json;
use probity_core::judged::{Judged, Reason};
use probity_core::service::is_loopback;

use super::clip;
use super::facts::plan_name;
use super::finding::told;
use super::site::{Site, word};
use crate::project::SETTINGS;

/// What closes one gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remedy {
    /// Whose move it is.
    pub who: Who,
    /// What is to be done.
    pub act: Act,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Give a command, for a reason.
    Command(String, String),
    /// Write text into a file at a line, if it is known.
    Line {
        /// The file.
        file: String,
        /// The line.
        line: Option<u32>,
        /// The text.
        text: String,
        /// What to think of before.
        note: String,
    },
    /// Something that only somebody with knowledge of the system can do.
    Person(String),
}

impl Remedy {
    /// `{kind: command|line|person, cmd, file, line, text}`
    pub(crate) fn to_json(&self) -> Json {
        let (kind, cmd, file, line, text) = match &self.act {
            Act::Command(cmd, why) => ("command", Some(cmd), None, None, why),
            Act::Line { file, line, text, .. } => ("line", None, Some(file), *line, text),
            Act::Person(what) => ("person", None, None, None, what),
        };
        Json::map([
            ("kind", Json::from(kind)),
            ("cmd", cmd.map(|cmd| clip(cmd, 300)).into()),
            ("file", file.map(|file| clip(file, 200)).into()),
            ("line", line.into()),
            ("text", clip(text, 500).into()),
        ])
    }
}

/// What closes the gap of a reason.
pub(crate) fn of(judged: &Judged, reason: &Reason, site: &Site) -> Remedy {
    let explanation = reason.code.explanation();
    let run = || format!("probity run {}", word(&plan_name(judged)));
    let act = match reason.code {
        Code::EnvironmentUnconfirmed | Code::CappedEnvironmentUnconfirmed => declare(judged),
        Code::PlanValidationFailed | Code::SourceUncovered | Code::CappedPlanErrors => {
            let check = format!("probity plan check {}", word(&plan_name(judged)));
            Act::Command(check, "repair what it names, then run again".to_owned())
        }
        Code::PreflightBlocked | Code::TargetUnreachable => Act::Command(run(), "once the service answers".to_owned()),
        Code::PortOccupied => Act::Command(run(), "once nothing else holds the port".to_owned()),
        Code::ServiceNotReady => Act::Command(run(), "once the service starts".to_owned()),
        Code::ServiceDied => Act::Command(run(), "once the service stays up".to_owned()),
        Code::NetworkDenied => Act::Person("allow this command to open connections, then run again".to_owned()),
        Code::RequirementUntested if is_partial(judged) => Act::Command(run(), "the whole plan".to_owned()),
        Code::CappedPartialSelection => Act::Command(run(), "the whole plan".to_owned()),
        Code::AttemptLost | Code::RunCancelled | Code::BudgetExceeded | Code::SubjectChanged | Code::NotReproduced => {
            Act::Command(run(), explanation.remedy.to_owned())
        }
        Code::OracleVacuous | Code::StatusOnly => line(judged, reason),
        _ if reason.step.is_some() => {
            let about = match reason.subjects.first() {
                Some(id) => id.clone(),
                None => reason.step.map(super::finding::handle).unwrap_or_default(),
            };
            Act::Command(site.command("show", &about), explanation.remedy.to_owned())
        }
        _ if reason.who == Who::Person => Act::Person(explanation.remedy.to_owned()),
        _ => line(judged, reason),
    };
    Remedy { who: reason.who, act }
}

/// The lines that let a run start the service that gave no connection, where it is of this machine and none is declared
/// for it. Which program that is, is not known.
pub(crate) fn start_it(judged: &Judged, reason: &Reason) -> Option<Act> {
    let checked = judged.audited().checked();
    let here = |origin: &&Origin| is_loopback(&origin.host);
    let origin = checked.environment().origins.iter().find(here).filter(|_| reason.code == Code::PreflightBlocked)?;
    if checked.profile().services.iter().any(|service| service.serves(origin)) {
        return None;
    }
    let text = format!("services: [{{id: NAME, start: [PROGRAM], port: {}}}]", origin.port);
    Some(Act::Line { file: SETTINGS.to_owned(), line: None, text, note: "or let a run start it".to_owned() })
}

/// What to write where a reason points; what it means, where it points nowhere.
fn line(judged: &Judged, reason: &Reason) -> Act {
    let (told, text) = (told(judged, reason), reason.code.explanation().remedy.to_owned());
    match told.place {
        Some(place) => Act::Line { file: told.file.to_owned(), line: Some(place.line), text, note: String::new() },
        None => Act::Command(format!("probity explain {}", reason.code), text),
    }
}

fn is_partial(judged: &Judged) -> bool {
    judged.weakenings().iter().any(|weakening| weakening.code == Code::CappedPartialSelection)
}

/// The lines that declare the environment. What is not known is left for a person to say.
fn declare(judged: &Judged) -> Act {
    let environment = judged.audited().checked().environment();
    let origin = environment.origins.first();
    let url = environment.url.clone().or_else(|| origin.map(ToString::to_string));
    let url = url.unwrap_or_else(|| "http://HOST:PORT".to_owned());
    let near = origin.is_some_and(|origin| matches!(origin.host.as_str(), "127.0.0.1" | "localhost" | "[::1]"));
    let name = environment.name.clone().unwrap_or_else(|| if near { "local".into() } else { "NAME".into() });
    let kind = environment.kind.clone().unwrap_or_else(|| if near { "local".into() } else { "KIND".into() });
    let data = environment.data.clone().unwrap_or_else(|| "DATA".to_owned());
    let named = judged.audited().checked().profile().default_environment.is_some();
    let default = if named { String::new() } else { format!("default_environment: {name}\n") };
    let entry = format!("{name}: {{kind: {kind}, url: {}, data: {data}}}", Json::from(url));
    Act::Line {
        file: SETTINGS.to_owned(),
        line: None,
        text: format!("{default}environments:\n  {entry}"),
        note:
            "say what it is: kind local, ci, qa, staging or production; data disposable, seeded, shared, live or mock"
                .to_owned(),
    }
}
