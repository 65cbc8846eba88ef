//! Which commands a plan may run (harness-planning.md 2.7, plan.md "`run`"): nothing, unless the program with this
//! shape of arguments is listed, or it is a script inside the project.
//!
//! Two lists count: the one that ships (`allow/commands.json`) and `commands.allow` of `probity.yaml`. No entry of
//! either lets a command read a file that holds secrets. What is allowed is still sealed by digest and recorded.

mod shipped;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use crate::environment::AllowedCommand;
use crate::inert::shortened;
use crate::json::Json;

pub use shipped::shipped;

/// Where a file that a plan names stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFact {
    /// It exists, inside the project.
    Inside,
    /// It would stand inside the project and does not exist.
    Missing,
    /// It stands outside the project, or leads there.
    Outside,
}

/// What the allow list says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// It may not run.
    Refused(Refusal),
    /// An entry lists it.
    Listed {
        /// Whether the call only reads.
        reads: bool,
    },
    /// It is a script inside the project; what it does is not known, so it counts as writing.
    Script,
}

/// Why a call may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no program, or it is not written as a text.
    NoProgram,
    /// A shell is asked to interpret a text.
    Shell(String),
    /// No entry lists this program with these arguments.
    NotListed(String),
    /// The script does not exist.
    ScriptMissing(String),
    /// The script or program stands outside the project.
    ScriptOutside(String),
    /// An argument names a file that holds secrets; no entry can allow that.
    SecretFile(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => f.write_str("no program is named"),
            Self::Shell(program) => write!(f, "{program} is asked to interpret a command line"),
            Self::NotListed(call) => write!(f, "no entry allows: {call}"),
            Self::ScriptMissing(path) => write!(f, "the script {path} does not exist"),
            Self::ScriptOutside(path) => write!(f, "{path} is outside the project"),
            Self::SecretFile(path) => write!(f, "{path} names a file that holds secrets"),
        }
    }
}

/// Interpreters whose first argument may be a script inside the project.
const INTERPRETERS: [&str; 5] = ["python", "python3", "node", "sh", "bash"];
/// Programs that take a command line as an argument after `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// Whether a call may run. `rules` is the project's list; the shipped one is always consulted beside it. Arguments
/// that are not yet known (references) match only `*` and `**`.
#[must_use]
pub fn is_allowed(argv: &[Json], rules: &[AllowedCommand], file_fact: &dyn Fn(&str) -> FileFact) -> Allowed {
    let Some(program) = argv.first().and_then(Json::as_text).filter(|p| !p.is_empty()) else {
        return Allowed::Refused(Refusal::NoProgram);
    };
    let args = &argv[1..];
    if SHELLS.contains(&name(program)) && args.iter().filter_map(Json::as_text).any(is_command_flag) {
        return Allowed::Refused(Refusal::Shell(program.to_owned()));
    }
    if let Some(path) = args.iter().filter_map(Json::as_text).find(|arg| names_secret_file(arg)) {
        return Allowed::Refused(Refusal::SecretFile(path.to_owned()));
    }
    let listed: Vec<bool> = rules
        .iter()
        .filter(|rule| rule.program == program && fits(&rule.args, args))
        .map(|rule| rule.reads)
        .chain(shipped::verdict(program, args))
        .collect();
    let script = script_file(argv);
    if let Some(path) = script {
        match file_fact(path) {
            FileFact::Inside => {}
            FileFact::Missing => return Allowed::Refused(Refusal::ScriptMissing(path.to_owned())),
            FileFact::Outside => return Allowed::Refused(Refusal::ScriptOutside(path.to_owned())),
        }
    }
    if listed.is_empty() {
        return if script.is_some() { Allowed::Script } else { Allowed::Refused(Refusal::NotListed(draw(argv))) };
    }
    Allowed::Listed { reads: listed.contains(&true) }
}

/// Whether a call is listed as one that only reads, so that it may be made twice. Nothing is asked of files: where
/// the script is missing or outside, the plan check has said so.
#[must_use]
pub fn only_reads(argv: &[Json], rules: &[AllowedCommand]) -> bool {
    matches!(is_allowed(argv, rules, &|_| FileFact::Inside), Allowed::Listed { reads: true })
}

/// The script inside the project that a call runs: `argv[0]` where it is a path, or the first argument of an
/// interpreter. It is sealed by digest along with the program.
#[must_use]
pub fn script_file(argv: &[Json]) -> Option<&str> {
    let program = argv.first()?.as_text()?;
    if program.contains('/') {
        return Some(program);
    }
    if !INTERPRETERS.contains(&program) {
        return None;
    }
    argv.get(1)?.as_text().filter(|arg| !arg.starts_with('-') && !arg.is_empty())
}

/// Whether an argument names a file that holds secrets: `.env…`, key stores, or a name that says so.
#[must_use]
pub fn names_secret_file(arg: &str) -> bool {
    // `if=secrets.pem`, `--file=.env`: the file stands after the sign.
    let path = arg.rsplit('=').next().unwrap_or(arg);
    let file = name(path).to_ascii_lowercase();
    let said =
        ["credential", "password", "private_key", "private-key", "secret"].iter().any(|word| file.contains(word));
    // A word alone is a search text or a name of a test; with an extension or a folder it is a file.
    let is_path = path.contains('/') || file.contains('.');
    let code = [".py", ".js", ".ts", ".rs", ".go", ".rb", ".sh", ".java", ".md", ".tsx", ".jsx", ".mjs"];
    file == ".env"
        || file.starts_with(".env.")
        || file == ".netrc"
        || file == "id_rsa"
        || file == "id_ed25519"
        || [".key", ".pem", ".p12", ".pfx"].iter().any(|ext| file.ends_with(ext) && file.len() > ext.len())
        || (said && is_path && !code.iter().any(|ext| file.ends_with(ext)))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `-c`, and flags of one letter run together that hold it, such as `-lc`.
fn is_command_flag(arg: &str) -> bool {
    arg.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains('c'))
}

/// Whether the arguments fit the globs, one for each; a last `**` stands for any further ones.
pub(crate) fn fits(globs: &[String], args: &[Json]) -> bool {
    let (globs, open) = match globs.split_last() {
        Some((last, head)) if last == "**" => (head, true),
        _ => (globs, false),
    };
    let enough = if open { args.len() >= globs.len() } else { args.len() == globs.len() };
    enough && globs.iter().zip(args).all(|(glob, arg)| glob_fits(glob, arg.as_text()))
}

/// Whether one argument fits one glob. A glob takes an option (`-…`) or a way up (`..`) only if it says so itself:
/// `tools/*.py` must not let `--eval=x` or `tools/../x.py` through. `None` is an argument that is not known yet.
pub(crate) fn glob_fits(glob: &str, arg: Option<&str>) -> bool {
    let Some(arg) = arg else { return glob == "*" };
    let opens = |text: &str| text.trim_start_matches('{').starts_with('-');
    if (arg.starts_with('-') && !opens(glob)) || (has_way_up(arg) && !has_way_up(glob)) {
        return false;
    }
    if glob == "*" {
        return true;
    }
    // Most globs are plain.
    if !glob.contains(['*', '?', '[', '{', '\\']) {
        return glob == arg;
    }
    // `if=*`: the value is any, a path too.
    if let Some(name) = glob.strip_suffix("=*")
        && !name.contains(['*', '?', '[', '{', '\\'])
    {
        return arg.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    }
    GLOBS.with_borrow_mut(|globs| {
        if globs.len() >= GLOBS_MAX && !globs.contains_key(glob) {
            globs.clear();
        }
        let compiled = globs.entry(glob.to_owned()).or_insert_with(|| {
            let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
            built.ok().map(|built| built.compile_matcher())
        });
        compiled.as_ref().is_some_and(|matcher| matcher.is_match(arg))
    })
}

thread_local! {
    /// Compiled globs: the same few are held against every command of a plan, and compiling one costs more than
    /// starting a program.
    static GLOBS: RefCell<HashMap<String, Option<GlobMatcher>>> = RefCell::default();
}

/// As many compiled globs are kept.
const GLOBS_MAX: usize = 512;

pub(crate) fn has_way_up(arg: &str) -> bool {
    arg.split(['/', '=', '\\']).any(|part| part == "..")
}

/// A call as messages show it, short.
fn draw(argv: &[Json]) -> String {
    let words: Vec<String> =
        argv.iter().map(|arg| arg.as_text().map_or_else(|| arg.to_string(), str::to_owned)).collect();
    shortened(&words.join(" "), 120).into_owned()
}

#[cfg(test)]
mod tests;
