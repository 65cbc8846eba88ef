//! One step: its verb, and what every verb has in common.

use super::expect::Out;
use super::fields::{Writing, shown};
use super::measure::duration;
use super::{http, log, run, show};
use crate::codes::Code;
use crate::document::{Key, Node, Value};
use crate::nearest::nearest;
use crate::plan::ObligationKind;

/// Fields that every verb takes.
pub(super) const COMMON: [&str; 7] = ["title", "expect", "save", "record", "shows", "covers", "continue"];

/// Verbs of the plan language that this build does not perform yet (plan.md rule 1).
const LATER: [&str; 18] = [
    "listen",
    "await",
    "sse",
    "websocket",
    "goto",
    "fill",
    "click",
    "press",
    "see",
    "notSee",
    "screenshot",
    "dismiss",
    "noConsoleErrors",
    "noFailedResponses",
    "noFailedRequests",
    "noRequest",
    "upload",
    "download",
];

/// What a step does, as far as layers of evidence go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// `http`, or a seed-form step on HTTP.
    Http,
    /// `run`, or a seed-form command.
    Run,
    /// `log`, in either form.
    Log,
    /// A seed-form step of another kind.
    Other,
}

/// What a verb's own module makes of a step.
pub(super) struct Built {
    /// The seed's name of the action.
    pub(super) action: &'static str,
    pub(super) verb: Verb,
    /// What is done, in words, for the matrix.
    pub(super) sentence: String,
    /// Seed-form fields in order.
    pub(super) fields: Out,
}

/// A step before it is mapped to tests.
pub(super) struct Draft<'n> {
    pub(super) node: &'n Node,
    pub(super) verb: Verb,
    pub(super) cleanup: bool,
    pub(super) sentence: String,
    pub(super) kinds: Vec<ObligationKind>,
    /// `covers` as it was written.
    pub(super) covers: Option<&'n Node>,
    pub(super) form: Form<'n>,
}

/// How the step was written.
pub(super) enum Form<'n> {
    /// With a verb.
    Short {
        action: &'static str,
        /// The title, if there is one.
        title: Option<&'n Node>,
        /// `continue`, if it is written.
        proceed: Option<&'n Node>,
        timeout: Option<Node>,
        fields: Out,
        obligations: Vec<Node>,
    },
    /// With `action` and the seed's fields, moved as they are.
    Seed { pairs: &'n [(Key, Node)] },
}

/// Reads one step. `None` after an error that leaves nothing to go on with.
pub(super) fn read<'n>(node: &'n Node, cleanup: bool, w: &mut Writing) -> Option<Draft<'n>> {
    let Some(pairs) = node.as_map() else {
        w.wrong_type(node, "a step", "a map with one verb, such as http or run");
        return None;
    };
    match verb(node, pairs, w)? {
        "action" => seed(node, pairs, cleanup),
        "http" => http::step(node, cleanup, w).map(|built| short(node, built, cleanup, w)),
        "log" => log::step(node, w).map(|built| short(node, built, cleanup, w)),
        _ => run::step(node, w).map(|built| short(node, built, cleanup, w)),
    }
}

/// The one verb of a step that can be performed.
fn verb(node: &Node, pairs: &[(Key, Node)], w: &mut Writing) -> Option<&'static str> {
    let known = ["http", "run", "log", "action"];
    let found: Vec<&Key> = pairs
        .iter()
        .map(|(key, _)| key)
        .filter(|key| known.contains(&key.name.as_str()) || is_later(&key.name))
        .collect();
    match found.as_slice() {
        [key] if is_later(&key.name) => {
            let message = format!("this build does not perform `{}` yet", key.name);
            w.error(Code::NotSupported, key.place, message, "it performs http, run and log");
            None
        }
        [key] => known.into_iter().find(|verb| *verb == key.name),
        [] => {
            let near = pairs.iter().find_map(|(key, _)| nearest(&key.name, known).map(|verb| (key, verb)));
            let (place, help) = match near {
                Some((key, verb)) => (key.place, format!("did you mean `{verb}` for `{}`?", shown(&key.name))),
                None => (node.place, "begin it with `http: GET /path` or `run: [program, argument]`".to_owned()),
            };
            w.error(Code::UnknownVerb, place, "the step has no verb", help);
            None
        }
        [first, second, ..] => {
            let message = format!("the step has two verbs, `{}` and `{}`", first.name, second.name);
            w.error(Code::UnknownVerb, second.place, message, "make it two steps");
            None
        }
    }
}

fn is_later(name: &str) -> bool {
    LATER.contains(&name)
}

/// A step with a verb.
fn short<'n>(node: &'n Node, built: Built, cleanup: bool, w: &mut Writing) -> Draft<'n> {
    let (kinds, obligations) =
        node.get("shows").map(|node| show::obligations(node, w)).unwrap_or_default().into_iter().unzip();
    let mut fields = built.fields;
    fields.extend(node.get("record").map(|node| ("record", node.clone())));
    Draft {
        node,
        verb: built.verb,
        cleanup,
        sentence: built.sentence,
        kinds,
        covers: node.get("covers"),
        form: Form::Short {
            action: built.action,
            title: node.get("title"),
            proceed: node.get("continue"),
            timeout: node.get("timeout").and_then(|node| duration(node, "`timeout`", w)),
            fields,
            obligations,
        },
    }
}

/// A step with `action`: the decoder judges its fields.
fn seed<'n>(node: &'n Node, pairs: &'n [(Key, Node)], cleanup: bool) -> Option<Draft<'n>> {
    let action = node.get("action").and_then(Node::as_text).unwrap_or_default();
    let verb = match action {
        "api" | "pollApi" | "cleanupApi" => Verb::Http,
        "command" => Verb::Run,
        "log" => Verb::Log,
        _ => Verb::Other,
    };
    let kinds = match node.get("obligations").map(|node| &node.value) {
        Some(Value::List(items)) => items.iter().filter_map(|item| item.get("kind")?.as_text()).collect(),
        _ => Vec::new(),
    };
    Some(Draft {
        node,
        verb,
        cleanup: cleanup || action == "cleanupApi",
        sentence: node.get("title").and_then(Node::as_text).unwrap_or(action).to_owned(),
        kinds: kinds.into_iter().filter_map(ObligationKind::parse).collect(),
        covers: node.get("covers"),
        form: Form::Seed { pairs },
    })
}

impl Draft<'_> {
    /// Whether the step can show a layer of evidence (plan.md rule 2). A step without `covers` is not mapped at all,
    /// so that set-up steps do not come here.
    pub(super) fn shows(&self, layer: &str) -> bool {
        match layer {
            "api" => self.verb == Verb::Http && !self.cleanup,
            "command" => self.verb == Verb::Run,
            "persistence" => {
                matches!(self.verb, Verb::Http | Verb::Run) && self.kinds.contains(&ObligationKind::Persistence)
            }
            _ => false,
        }
    }
}
