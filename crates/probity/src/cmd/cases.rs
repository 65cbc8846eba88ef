//! `cases check`: the lint of a cases file.

use std::path::Path;

use probity_core::diagnostic::Diagnostics;
use probity_core::host_profile::HostProfile;
use probity_core::json::Json;
use probity_formats::document;

use super::plan::counted;
use super::profile::{self, Checked};
use crate::answer::refused::refused;
use crate::cli::playwright::CasesCheckArgs;
use crate::out::Out;

/// Checks a cases file: 0 where nothing refuses it, 1 where something does, 2 where it or the host profile cannot be read.
pub(crate) fn check(args: &CasesCheckArgs, out: Out) -> u8 {
    let profile = match host_profile(args, out) {
        Ok(profile) => profile,
        Err(exit) => return exit,
    };
    let mut found = profile.found;
    let cases = match &profile.value {
        None => None,
        Some(profile) => match lint(&args.cases, profile) {
            Ok(checked) => {
                // Warnings of the profile belong to profile show.
                found = checked.found;
                checked.value
            }
            Err(found) => return super::fail_documents(out, &found, Path::new("")),
        },
    };
    let exit = u8::from(cases.is_none());
    if out.json {
        let fields = cases.map(|cases| ("cases", Json::from(cases)));
        out.data(&refused("probity/cases check/1", exit, &found, fields.into_iter().collect()));
        return exit;
    }
    profile::say(&found, out);
    match cases {
        Some(cases) => out.data(&format!("ok: {}\n", counted(cases, "case").unwrap_or_default())),
        None => {
            let refused = if profile.value.is_some() { Some(args.cases.as_path()) } else { args.profile.as_deref() };
            out.data(&profile::summary(refused.unwrap_or(Path::new("the settings file")), &found));
        }
    }
    exit
}

/// The host profile that was named, or the settings file of the project.
fn host_profile(args: &CasesCheckArgs, out: Out) -> Result<Checked<HostProfile>, u8> {
    let read = match &args.profile {
        Some(file) => profile::read(file),
        None => {
            let project = super::here(out)?;
            match &project.settings {
                Some((name, bytes)) => profile::check(name, bytes, &project.root),
                None => profile::read(Path::new("qa-pilot.config.yaml")),
            }
        }
    };
    read.map_err(|found| super::fail_documents(out, &found, Path::new("")))
}

fn lint(file: &Path, profile: &HostProfile) -> Result<Checked<usize>, Vec<probity_core::diagnostic::Diagnostic>> {
    let name = file.display().to_string();
    let node = document::read(&name, &profile::bytes(file)?)?;
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let folder = absolute.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let mut diags = Diagnostics::about(&name);
    let value = probity_core::cases::check(&node, profile, &folder, &mut diags);
    Ok(Checked { value, found: diags.into_sorted() })
}
