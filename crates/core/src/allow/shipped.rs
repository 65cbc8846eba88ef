//! The list that ships, read once from `commands.json`.

use std::sync::LazyLock;

use super::{fits, glob_fits, has_way_up};
use crate::environment::AllowedCommand;
use crate::json::{self, Json, Limits};

struct Shipped {
    commands: Vec<AllowedCommand>,
    refused: Vec<String>,
    refused_words: Vec<String>,
}

/// Should the file ever fail to read, nothing is allowed; a test sees to it that it reads.
static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| {
    read(include_bytes!("commands.json")).unwrap_or(Shipped {
        commands: Vec::new(),
        refused: Vec::new(),
        refused_words: Vec::new(),
    })
});

/// The shipped list, as `probity settings` shows it. `program` is a glob here.
#[must_use]
pub fn shipped() -> &'static [AllowedCommand] {
    &SHIPPED.commands
}

/// Whether an entry that fits only reads; nothing when none fits.
pub(super) fn verdict(program: &str, args: &[Json]) -> Option<bool> {
    let runs_targets = matches!(program, "make" | "npm" | "pnpm" | "yarn" | "bun" | "mvn" | "gradle" | "tox" | "nox");
    let texts = || args.iter().filter_map(Json::as_text);
    let refused = texts().any(|arg| {
        arg.starts_with('/')
            || has_way_up(arg)
            || SHIPPED.refused.iter().any(|option| is_option(option, arg))
            || (runs_targets && has_refused_word(arg))
    });
    if refused {
        return None;
    }
    let fitting = SHIPPED.commands.iter().filter(|entry| glob_fits(&entry.program, Some(program)));
    let reads: Vec<bool> = fitting.filter(|entry| fits(&entry.args, args)).map(|entry| entry.reads).collect();
    (!reads.is_empty()).then(|| reads.contains(&true))
}

/// An option of the refused list: as it stands, or with anything after it where the list ends it in `*`.
fn is_option(option: &str, arg: &str) -> bool {
    option.strip_suffix('*').map_or(arg == option, |prefix| arg.starts_with(prefix))
}

/// Targets of make and package scripts whose name says that they change something.
fn has_refused_word(arg: &str) -> bool {
    arg.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| SHIPPED.refused_words.iter().any(|refused| refused.eq_ignore_ascii_case(word)))
}

fn read(bytes: &[u8]) -> Option<Shipped> {
    let document = json::read(bytes, &Limits::default()).ok()?;
    let commands = document.get("commands")?.as_list()?.iter().map(entry).collect::<Option<_>>()?;
    Some(Shipped {
        commands,
        refused: texts(document.get("refused")?)?,
        refused_words: texts(document.get("refused_words")?)?,
    })
}

fn entry(item: &Json) -> Option<AllowedCommand> {
    Some(AllowedCommand {
        program: item.get("program")?.as_text()?.to_owned(),
        args: texts(item.get("args")?)?,
        reads: item.get("reads")?.as_bool()?,
    })
}

fn texts(list: &Json) -> Option<Vec<String>> {
    list.as_list()?.iter().map(|item| item.as_text().map(str::to_owned)).collect()
}
