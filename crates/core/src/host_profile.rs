//! The host profile: what a project says of how it tests with Playwright (report-and-gate section 1). It is the settings
//! file: `probity.yaml` and `qa-pilot.config.yaml` have one schema, and the commands around Playwright demand the sections
//! of the reference tool.

mod apps;
mod environments;
mod looks;
mod mutation;
mod sections;
mod statuses;
mod tracker;

use crate::codes::Code;
use crate::diagnostic::{Diagnostics, Severity};
use crate::document::{Key, Node, Value};
use crate::json::Json;
use crate::refuse::{Refusals, unknown};
use crate::settings;

pub use environments::{EvidenceUpload, Kind, effective_evidence_upload};
pub use statuses::{State, Statuses};

/// Sections of the reference tool, in the order in which messages list them.
const SECTIONS: [&str; 15] = [
    "project",
    "tracker",
    "apps",
    "environments",
    "stabilization",
    "auth",
    "assertions",
    "evidence",
    "selectors",
    "models",
    "sandbox",
    "context",
    "mutation",
    "cross_app",
    "clickup",
];

/// Keys of the settings file that are ours alone.
const OWN: [&str; 8] =
    ["version", "default_environment", "limits", "commands", "secrets", "services", "stores", "judges"];

/// A host profile without a refusal.
#[derive(Clone, Debug)]
pub struct HostProfile {
    node: Node,
}

/// Checks a host profile and takes it, if nothing refuses it. `exists` says whether a file is there, by its path
/// relative to the profile's folder.
///
/// `None` when it is refused; why is in `diags`, each with the path of its field as subject.
pub fn read(node: &Node, exists: &dyn Fn(&str) -> bool, diags: &mut Diagnostics) -> Option<HostProfile> {
    let before = diags.len();
    let mut refusals = Refusals::new(diags);
    if node.as_map().is_none() {
        let help = "write the sections of a host profile; probity profile show lists what is missing";
        refusals.refuse(Code::WrongType, "profile", node.place, format!("a {}, not a map", node.kind()), help);
        return None;
    }
    known_sections(node, &mut refusals);
    refusals.text(node, "", "project");
    let tracked = tracker::tracker(node, &mut refusals);
    apps::apps(node, &mut refusals);
    environments::environments(node, tracked, &mut refusals);
    sections::sections(node, exists, &mut refusals);
    apps::cross_app(node, &mut refusals);
    tracker::clickup(node, tracked, &mut refusals);
    sections::context(node, &mut refusals);
    mutation::mutation(node, &mut refusals);
    own_part(node, diags);
    let refused = diags.iter().skip(before).any(|d| d.severity == Severity::Error);
    (!refused).then(|| HostProfile { node: normalised(node, tracked) })
}

impl HostProfile {
    /// As written, with the effective evidence mode of each environment, and without what has no effect.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.node.to_json()
    }

    /// The same, indented.
    #[must_use]
    pub fn pretty(&self) -> String {
        self.node.pretty()
    }

    /// Models whose cases are taken.
    pub fn approved_models(&self) -> impl Iterator<Item = &str> {
        let models = self.node.get("models").and_then(|models| models.get("generation_approved"));
        models.and_then(Node::as_list).unwrap_or_default().iter().filter_map(Node::as_text)
    }

    /// Whether expected outcomes may not speak of network traffic.
    #[must_use]
    pub fn forbids_network(&self) -> bool {
        self.node.get("assertions").and_then(|a| a.get("network_events")).and_then(Node::as_text) == Some("forbidden")
    }

    /// Names of the states of a case.
    #[must_use]
    pub fn statuses(&self) -> Statuses {
        Statuses::of(self.node.get("clickup").and_then(|clickup| clickup.get("statuses")))
    }

    /// What kind an environment is, and where its evidence goes; `None` of one that is not declared.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<(Kind, EvidenceUpload)> {
        let node = self.node.get("environments")?.get(name)?;
        let kind = Kind::of(node.get("kind")?.as_text()?)?;
        Some((kind, EvidenceUpload::parse(node.get("evidence_upload")?.as_text()?)?))
    }
}

fn known_sections(node: &Node, refusals: &mut Refusals<'_>) {
    let known: Vec<&str> = SECTIONS.into_iter().chain(OWN).chain(["trackers"]).collect();
    let strange: Vec<(Key, Node)> =
        unknown(node, &known).into_iter().filter(|(key, _)| !key.name.starts_with("x_")).cloned().collect();
    refusals.only(&Node::new(Value::Map(strange), node.place), "", &SECTIONS);
}

/// The part of the file that the reference tool does not know is checked as every command checks it.
fn own_part(node: &Node, diags: &mut Diagnostics) {
    let ours = |key: &Key| OWN.contains(&key.name.as_str()) || key.name == "trackers" || key.name.starts_with("x_");
    let mut pairs: Vec<(Key, Node)> =
        node.as_map().unwrap_or_default().iter().filter(|(k, _)| ours(k)).cloned().collect();
    if let Some((key, environments)) = node.as_map().unwrap_or_default().iter().find(|(k, _)| k.name == "environments")
    {
        let own = environments.as_map().unwrap_or_default().iter().filter(|(_, one)| one.as_map().is_some());
        let own = own.map(|(name, one)| (name.clone(), environments::own_part(one))).collect();
        pairs.push((key.clone(), Node::new(Value::Map(own), environments.place)));
    }
    let before = diags.len();
    settings::profile(&Node::new(Value::Map(pairs), node.place), diags);
    diags.subject_since(before, "profile");
}

fn normalised(node: &Node, tracked: bool) -> Node {
    let mut node = node.clone();
    let Value::Map(pairs) = &mut node.value else { return node };
    if !tracked {
        pairs.retain(|(key, _)| key.name != "clickup");
    }
    if let Some((_, Node { value: Value::Map(environments), .. })) =
        pairs.iter_mut().find(|(key, _)| key.name == "environments")
    {
        environments.iter_mut().for_each(|(_, one)| environments::write_effective(one, tracked));
    }
    node
}

#[cfg(test)]
mod tests;
