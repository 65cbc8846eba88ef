//! `testing/<feature>/cases.yaml`: the cases of a feature, and their lint (report-and-gate section 2).

mod date;
mod fixtures;
mod mix;
mod outcomes;
mod requirements;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::codes::Code;
use crate::diagnostic::{Diagnostics, Severity};
use crate::document::{Node, Value};
use crate::host_profile::HostProfile;
use crate::inert::shortened;
use crate::refuse::{Refusals, join, written};

/// Most cases of one feature.
const MOST_CASES: usize = 25;

static CASE_ID: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[A-Z0-9]+-[A-Z0-9]+-[0-9]{3}$").ok());

/// The kinds of case.
const TYPES: [&str; 5] = ["happy", "negative", "edge", "permission", "data-validation"];

/// Whether a text is the id of a case.
#[must_use]
pub fn is_case_id(text: &str) -> bool {
    CASE_ID.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Checks a cases file that lies in a folder of this name. Gives how many cases it has.
///
/// `None` when something refuses it; what, and what is likely wrong, is in `diags` with the path of its field.
pub fn check(node: &Node, profile: &HostProfile, folder: &str, diags: &mut Diagnostics) -> Option<usize> {
    let before = diags.len();
    let mut refusals = Refusals::new(diags);
    if node.as_map().is_none() {
        let help = "write feature, model_version, generated_at, scenario_mix and cases";
        refusals.refuse(Code::WrongType, "cases file", node.place, format!("a {}, not a map", node.kind()), help);
        return None;
    }
    header(node, profile, folder, &mut refusals);
    let types = cases(node, profile, &mut refusals);
    mix::scenario_mix(node, &types, &mut refusals);
    fixtures::writes_and_fixtures(node, &mut refusals);
    requirements::requirements(node, &mut refusals);
    let refused = diags.iter().skip(before).any(|d| d.severity == Severity::Error);
    (!refused).then(|| entries(node).len())
}

/// The entries of `cases`.
fn entries(node: &Node) -> &[Node] {
    node.get("cases").and_then(Node::as_list).unwrap_or_default()
}

/// `cases[ID]`, or the position where there is no id.
fn label(position: usize, case: &Node) -> String {
    match case.get("id").and_then(Node::as_text).filter(|id| !id.trim().is_empty()) {
        Some(id) => format!("cases[{}]", shortened(id, 80)),
        None => format!("cases[{position}]"),
    }
}

fn header(node: &Node, profile: &HostProfile, folder: &str, refusals: &mut Refusals<'_>) {
    if let Some(feature) = refusals.text(node, "", "feature")
        && feature != folder
    {
        let place = node.get("feature").map_or(node.place, |node| node.place);
        let message = format!("the feature is not the folder {}", shortened(folder, 60));
        refusals.refuse(Code::FeatureDiffers, "feature", place, message, "write the folder's name, or move the file");
    }
    if let Some(model) = refusals.text(node, "", "model_version")
        && !profile.approved_models().any(|approved| approved == model)
    {
        let place = node.get("model_version").map_or(node.place, |node| node.place);
        let message = "the host profile does not approve this model";
        let help = "have a person add it to models.generation_approved";
        refusals.refuse(Code::ModelNotApproved, "model_version", place, message, help);
    }
    if let Some(at) = refusals.text(node, "", "generated_at")
        && !date::is_date(at)
    {
        let place = node.get("generated_at").map_or(node.place, |node| node.place);
        let help = "write it as in 2026-10-01T09:00:00Z";
        refusals.refuse(Code::ValueOutOfRange, "generated_at", place, "this is no date", help);
    }
}

/// Checks the cases; gives the types that occur.
fn cases<'n>(node: &'n Node, profile: &HostProfile, refusals: &mut Refusals<'_>) -> BTreeSet<&'n str> {
    let list = node.get("cases");
    let Some(items) = list.and_then(Node::as_list).filter(|items| !items.is_empty()) else {
        let place = list.map_or(node.place, |list| list.place);
        refusals.refuse(Code::MissingField, "cases", place, "there is no case", "list at least one");
        return BTreeSet::new();
    };
    if items.len() > MOST_CASES {
        let place = list.map_or(node.place, |list| list.place);
        let message = format!("{} cases, where {MOST_CASES} are the most that a person reviews at once", items.len());
        refusals.refuse(Code::TooManyCases, "cases", place, message, "split the feature");
    }
    let (mut ids, mut types) = (BTreeSet::new(), BTreeSet::new());
    for (position, case) in items.iter().enumerate() {
        let path = label(position, case);
        if case.as_map().is_none() {
            refusals.not_a_map(case, &path);
            continue;
        }
        id(case, &path, &mut ids, refusals);
        refusals.text(case, &path, "title");
        refusals.must_word(case, &path, "priority", &["P0", "P1", "P2"]);
        if refusals.must_word(case, &path, "type", &TYPES).is_some() {
            types.extend(case.get("type").and_then(Node::as_text));
        }
        if let Some(preconditions) = case.get("preconditions") {
            texts(preconditions, &join(&path, "preconditions"), refusals);
        }
        some_texts(case, &path, "steps", refusals);
        if let Some(expected) = some_texts(case, &path, "expected", refusals) {
            outcomes::outcomes(expected, &path, profile.forbids_network(), refusals);
        }
    }
    types
}

fn id<'n>(case: &'n Node, path: &str, ids: &mut BTreeSet<&'n str>, refusals: &mut Refusals<'_>) {
    let subject = join(path, "id");
    let Some(node) = case.get("id") else {
        let help = "write an id such as SHOP-CART-001";
        refusals.refuse(Code::MissingField, &subject, case.place, "the case has no id", help);
        return;
    };
    match node.as_text() {
        Some(id) if is_case_id(id) => {
            if !ids.insert(id) {
                let message = "two cases have one id";
                refusals.refuse(
                    Code::IdDuplicate,
                    &subject,
                    node.place,
                    message,
                    "give one of them a number of its own",
                );
            }
        }
        _ => {
            let message = format!("{} is no id of a case", written(node));
            let help = "write two words in capitals and three digits, as in SHOP-CART-001";
            refusals.refuse(Code::IdMalformed, &subject, node.place, message, help);
        }
    }
}

/// A list of texts that are not blank; one refusal for the list.
fn texts<'n>(list: &'n Node, subject: &str, refusals: &mut Refusals<'_>) -> Option<&'n [Node]> {
    let blank = |item: &&Node| item.as_text().is_none_or(|text| text.trim().is_empty());
    let Some(items) = list.as_list() else {
        refusals.not_a_list(list, subject, "texts");
        return None;
    };
    if let Some(item) = items.iter().find(blank) {
        let message = format!("an entry is no text, or blank: {}", written(item));
        let help = "write a text for each; quote it if it holds `: ` or begins with a sign";
        refusals.refuse(Code::WrongType, subject, item.place, message, help);
        return None;
    }
    Some(items)
}

/// The same, where at least one must stand.
fn some_texts<'n>(case: &'n Node, path: &str, key: &str, refusals: &mut Refusals<'_>) -> Option<&'n [Node]> {
    let subject = join(path, key);
    match case.get(key) {
        Some(Node { value: Value::List(items), .. }) if !items.is_empty() => {
            case.get(key).and_then(|list| texts(list, &subject, refusals))
        }
        Some(other) if other.as_list().is_none() && other.value != Value::Null => {
            refusals.not_a_list(other, &subject, "texts");
            None
        }
        other => {
            let place = other.map_or(case.place, |node| node.place);
            refusals.refuse(Code::MissingField, &subject, place, format!("{key} lists nothing"), "write at least one");
            None
        }
    }
}
