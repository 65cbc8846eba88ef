//! Reading and checking the documents of a plan, for `run` and for `plan check` alike.

use std::cell::RefCell;
use std::collections::BTreeMap;

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, CheckedPlan, check};
use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::plan::Action;
use probity_core::recorded::leaves_folder;

use crate::plans::PlanSource;
use crate::project::Project;

/// Files that a plan names and that lie inside the project: name and bytes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Reads and checks the documents; every file that the check asks for and that lies inside is read once, and its
/// bytes are what is sealed and used.
///
/// # Errors
/// Documents that cannot be read or decoded.
pub(crate) fn read(
    project: &Project,
    source: &PlanSource,
    environment: Option<&str>,
) -> Result<(CheckedPlan, Files), Vec<Diagnostic>> {
    let files: RefCell<Files> = RefCell::new(BTreeMap::new());
    let fact = |name: &str| {
        let known = files.borrow().contains_key(name);
        let fact = match project.fact(name) {
            _ if known => FileFact::Inside,
            // A link that leads outside looks like any other name to whoever checks the sealed plan again.
            FileFact::Outside if !leaves_folder(name) => FileFact::Missing,
            fact => fact,
        };
        if fact == FileFact::Inside && !known {
            match project.read(name) {
                Some(bytes) => files.borrow_mut().insert(name.to_owned(), bytes),
                None => return FileFact::Missing,
            };
        }
        fact
    };
    let folder = source.folder();
    let checked = check(&Ask {
        given: source.given(&folder),
        profile: project.settings.as_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
        environment,
        files: &fact,
        parse: &crate::derive::parse,
    })?;
    let files = files.into_inner();
    match private_key(&checked, &files) {
        Some(found) => Err(vec![found]),
        None => Ok((checked, files)),
    }
}

/// A file of certificates that holds a private key as well: it would be sealed with it.
fn private_key(checked: &CheckedPlan, files: &Files) -> Option<Diagnostic> {
    checked.plan().scenarios.iter().flat_map(|scenario| &scenario.steps).find_map(|step| {
        let Action::Http(http) = &step.action else { return None };
        let named = http.ca.iter().chain(http.client.iter().map(|client| &client.cert));
        let holds = |name: &&String| files.get(*name).is_some_and(|bytes| holds_key(bytes));
        let name = named.into_iter().find(holds)?;
        Some(Diagnostic {
            code: Code::SecretLiteral,
            severity: Severity::Error,
            file: checked.file().to_owned(),
            place: Some(step.place),
            subject: Some(step.id.to_string()),
            message: format!("{name} holds a private key beside the certificate, and files of the plan are sealed"),
            help: Some("put the key into a file of its own and name it under tls.key, or write {env: NAME}".to_owned()),
        })
    })
}

fn holds_key(bytes: &[u8]) -> bool {
    bytes.windows(12).any(|part| part == b"PRIVATE KEY-")
}
