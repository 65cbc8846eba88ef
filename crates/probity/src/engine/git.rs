//! The state of the work tree, as facts: which commit, whether it was changed, whether the plan was.

use std::path::Path;
use std::process::Command;

use probity_core::ids::Digest;
use probity_core::journal::opened::Git;

/// Reads the state of the work tree that a project lies in; `None` outside of one or without git.
pub(super) fn state(project: &Path, plan: Option<(&Path, &[u8])>) -> Option<Git> {
    let commit = ask(project, &["rev-parse", "HEAD"])?;
    let tree = ask(project, &["rev-parse", "HEAD^{tree}"])?;
    let dirty = !ask(project, &["status", "--porcelain"])?.is_empty();
    Some(Git { commit, tree, dirty, plan_changed: plan.and_then(|(path, bytes)| plan_changed(project, path, bytes)) })
}

/// The commit of a name in full; `None` where git knows none, or there is no work tree.
pub(crate) fn commit(project: &Path, named: &str) -> Option<String> {
    ask(project, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{named}^{{commit}}")])
}

/// Whether the work tree differs from its commit.
pub(crate) fn dirty(project: &Path) -> bool {
    ask(project, &["status", "--porcelain"]).is_none_or(|changes| !changes.is_empty())
}

/// Whether the plan differs from the one at the merge base with the main branch; unknown where there is none.
fn plan_changed(project: &Path, plan: &Path, bytes: &[u8]) -> Option<bool> {
    let main = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]
        .into_iter()
        .find(|name| ask(project, &["rev-parse", "--verify", "--quiet", name]).is_some())?;
    let base = ask(project, &["merge-base", "HEAD", main])?;
    let folder = plan.parent()?;
    let name = plan.file_name()?.to_str()?;
    let prefix = ask(folder, &["rev-parse", "--show-prefix"])?;
    let output = git(project, &["show", &format!("{base}:{prefix}{name}")])?;
    Some(Digest::of(&output) != Digest::of(bytes))
}

fn ask(folder: &Path, words: &[&str]) -> Option<String> {
    let output = git(folder, words)?;
    Some(String::from_utf8_lossy(&output).trim().to_owned())
}

fn git(folder: &Path, words: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        // A stranger's tree may name a program here, which git would start.
        .args(["-c", "core.fsmonitor=false", "-C"])
        .arg(folder)
        .args(words)
        // Reading must not take git's locks.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}
