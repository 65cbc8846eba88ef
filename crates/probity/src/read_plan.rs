//! Reading and checking the documents of a plan, for `run` and for `plan check` alike.

use std::cell::RefCell;
use std::collections::BTreeMap;

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, CheckedPlan, check};
use probity_core::diagnostic::Diagnostic;
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
    Ok((checked, files.into_inner()))
}
