//! A plan of the seed form.

use super::command::GATES;
use super::ids::Known;
use super::reading::{Forms, Reading, entry, field, flag, text, texts};
use super::reference::Use;
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Key, Node, Value};
use crate::environment::Origin;
use crate::ids::Id;
use crate::inert::shortened;
use crate::json::Json;
use crate::plan::{EnvironmentRef, Grants, Mutation, NotClaimed, ObligationKind, Plan, Scenario, Used, WritePolicy};
use crate::shape::{self, SEED_PLAN, Shape};
use crate::vars::references;

/// Settings of the reference tool that change what is sent or run, so that leaving them out would run another plan.
const CHANGING: [&str; 5] = ["launchOptions", "contextOptions", "storageState", "extraHTTPHeaders", "defaultHeaders"];

/// Decodes a plan that somebody wrote in the seed form. The reference tool's spellings of references
/// (`{var: …}`, `{env: …, prefix: …}`, `{template: …}`) are read too.
///
/// `None` when the plan cannot be used; what is wrong is in `diags`, and so are findings over a plan that can.
pub fn plan(node: &Node, diags: &mut Diagnostics) -> Option<Plan> {
    decode(node, Forms::Any, diags)
}

/// Decodes a plan that the expansion of a written plan made: references are `$var`, `$env`, `$template` only, and a
/// map such as `{env: prod}` in data is data.
///
/// `None` when the plan cannot be used; what is wrong is in `diags`, and so are findings over a plan that can.
pub fn plan_expanded(node: &Node, diags: &mut Diagnostics) -> Option<Plan> {
    decode(node, Forms::Dollar, diags)
}

fn decode(node: &Node, forms: Forms, diags: &mut Diagnostics) -> Option<Plan> {
    let mut reading = Reading::new(diags, forms);
    if !shape::check(node, &Shape::Table(&SEED_PLAN), format_args!("the plan"), reading.diags) {
        reading.unusable = true;
    }
    let plan = reading.plan(node);
    if reading.usable() { plan } else { None }
}

impl Reading<'_> {
    fn plan(&mut self, node: &Node) -> Option<Plan> {
        node.as_map()?;
        self.reference_settings(node);
        let vars = self.vars(node);
        let scenarios = self.scenarios(node);
        self.base_url(node);
        Some(Plan {
            environment: self.environment_of(node),
            base_url: text(node, "baseUrl"),
            vars,
            grants: Grants { shell: texts(node, "grants").iter().any(|grant| grant == "shell") },
            mutation: field(node, "mutation").and_then(|mutation| self.mutation(mutation)),
            scenarios,
        })
    }

    fn reference_settings(&mut self, node: &Node) {
        for name in ["qaRunId", "qaMarker"] {
            if let Some((key, _)) = entry(node, name) {
                let message = format!("`{name}` belongs to the engine; a marker that the plan chooses proves nothing");
                self.error(Code::VarReserved, key.place, message, "remove it, and use qa_run_id and qa_marker");
            }
        }
        for name in CHANGING {
            let empty = |value: &Node| value.as_map().is_some_and(<[(Key, Node)]>::is_empty);
            if field(node, name).is_some_and(|value| !empty(value)) {
                self.refuse_field(node, name);
            }
        }
        for name in GATES.into_iter().chain(["preflight"]) {
            self.warn_gate(node, name);
        }
    }

    fn base_url(&mut self, node: &Node) {
        let Some((written, place)) = field(node, "baseUrl").and_then(|url| Some((url.as_text()?, url.place))) else {
            return;
        };
        if Origin::of(written).is_err() || written.contains(['{', '}', '?']) {
            let help = "write scheme, host and port, as in http://127.0.0.1:8123; without query, fragment, credentials";
            self.error(Code::UrlMalformed, place, "`baseUrl` is no http or https origin", help);
        }
    }

    fn environment_of(&mut self, node: &Node) -> EnvironmentRef {
        match field(node, "environment") {
            None => EnvironmentRef::Absent,
            Some(found) => match &found.value {
                Value::Text(name) => EnvironmentRef::Named(name.clone(), found.place),
                _ => {
                    // What is wrong in it is named now, while the places of its parts are known.
                    crate::settings::environment_fields(None, found, self.diags);
                    EnvironmentRef::Inline(found.to_json(), found.place)
                }
            },
        }
    }

    fn vars(&mut self, node: &Node) -> Vec<(String, Json)> {
        let mut vars: Vec<(String, Json)> = Vec::new();
        for name in ["runtimeVars", "vars"] {
            for (key, value) in field(node, name).and_then(Node::as_map).unwrap_or_default() {
                self.variable_name(key);
                let place = value.place;
                let value = self.data(value, Use::Data);
                if references(&value).iter().any(|reference| reference.environment().is_none()) {
                    let message = format!("the constant `{}` refers to something else", shortened(&key.name, 60));
                    self.error(Code::ReferenceMalformed, place, message, "write it out");
                }
                vars.retain(|(known, _)| *known != key.name);
                vars.push((key.name.to_string(), value));
            }
        }
        vars
    }

    fn mutation(&mut self, node: &Node) -> Option<Mutation> {
        let policy = match text(node, "policy")?.as_str() {
            "read-only" => WritePolicy::ReadOnly,
            "scoped-write" => WritePolicy::ScopedWrite,
            "unrestricted" => WritePolicy::Unrestricted,
            _ => return None,
        };
        let prefix = field(node, "prefix").and_then(|prefix| self.prefix(prefix));
        if policy == WritePolicy::ScopedWrite && field(node, "prefix").is_none() {
            let help = "add `prefix`: text that each writing request carries, such as \"{qa_marker}\"";
            self.error(Code::MissingField, node.place, "scoped-write has no `prefix`", help);
        }
        Some(Mutation { policy, prefix })
    }

    /// The prefix as a template.
    fn prefix(&mut self, node: &Node) -> Option<String> {
        let template = match self.single(node, Use::Data) {
            Json::Text(text) => text,
            Json::Map(map) => match (map.get("$var"), map.get("$template")) {
                (Some(Json::Text(name)), _) => format!("{{{name}}}"),
                (_, Some(Json::Text(template))) => template.clone(),
                _ => return None,
            },
            _ => return None,
        };
        if template.trim().chars().count() < 4 {
            let message = "the prefix is so short that it occurs by chance";
            self.error(Code::ValueOutOfRange, node.place, message, "use at least 4 characters, or \"{qa_marker}\"");
        }
        Some(template)
    }

    fn scenarios(&mut self, node: &Node) -> Vec<Scenario> {
        let (mut cases, mut steps) = (Known::new("case"), Known::new("step"));
        let items = field(node, "scenarios").and_then(Node::as_list).unwrap_or_default();
        items.iter().filter_map(|item| self.scenario(item, &mut cases, &mut steps)).collect()
    }

    fn scenario(&mut self, node: &Node, cases: &mut Known, known_steps: &mut Known) -> Option<Scenario> {
        let written = field(node, "id")?;
        let id = Id::parse(written.as_text()?).ok()?;
        cases.add(self, &id, written.place);
        let items = field(node, "steps").and_then(Node::as_list).unwrap_or_default();
        let mut steps = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match self.step(item, &id, at + 1, known_steps) {
                Some(step) => steps.push(step),
                None => self.unusable = true,
            }
        }
        let before = self.diags.len();
        let not_claimed = self.not_claimed(node);
        self.diags.subject_since(before, id.as_str());
        Some(Scenario {
            title: text(node, "title").unwrap_or_else(|| id.to_string()),
            continue_on_failure: flag(node, "continueOnFailure").unwrap_or(false),
            uses: used(node),
            id,
            steps,
            not_claimed,
            place: node.place,
        })
    }

    fn not_claimed(&mut self, node: &Node) -> Vec<NotClaimed> {
        let items = field(node, "notClaimed").and_then(Node::as_list).unwrap_or_default();
        let mut rows = Vec::new();
        for item in items {
            let criterion = text(item, "criterion").and_then(|text| Id::parse(&text).ok());
            let kind = text(item, "kind").and_then(|text| ObligationKind::parse(&text));
            let why = text(item, "why").unwrap_or_default();
            if why.trim().is_empty() {
                self.error(Code::MissingField, item.place, "`why` is empty", "say why the claim is not made");
            }
            rows.extend(criterion.zip(kind).map(|(criterion, kind)| NotClaimed { criterion, kind, why }));
        }
        rows
    }
}

/// The cases that a case starts from.
fn used(node: &Node) -> Vec<Used> {
    let items = field(node, "uses").and_then(Node::as_list).unwrap_or_default();
    let read = |item: &Node| Some(Used { case: Id::parse(item.as_text()?).ok()?, place: item.place });
    items.iter().filter_map(read).collect()
}
