//! Where QA runs come from: files of JSON lines, read line by line in bounded memory, JSON arrays,
//! run folders, and the index.

mod folders;
pub(crate) mod index;
mod lines;

use std::path::Path;

use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::document::{Lines, Place};
use probity_core::success_policy::{Row, RowFault, Want};
use probity_store::{StoreError, find};

use crate::cli::policy::Judged;
use crate::cmd::{fail_quoted, fail_store, here};
use crate::out::Out;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    /// Runs that were handed on.
    pub runs: u64,
    /// Runs of other requirements.
    pub others: u64,
    /// Whether they are run folders, whose names other commands know.
    pub folders: bool,
    /// The requirement that they belong to, where they say.
    pub requirement: Option<String>,
    /// Folders that are not what they should be: a code and a sentence.
    pub noticed: Vec<(Code, String)>,
}

/// Why runs cannot be read.
pub(crate) enum Unread {
    /// A fault in a text, with the part of it that the place counts in.
    Text(Box<Diagnostic>, Option<String>),
    /// The run folders.
    Store(StoreError),
    /// Something that was told already.
    Told(u8),
}

impl Unread {
    /// Says it; gives the exit code.
    pub(crate) fn tell(self, out: Out) -> u8 {
        match self {
            Self::Text(diagnostic, quoted) => fail_quoted(out, &[*diagnostic], quoted.as_deref()),
            Self::Store(error) => fail_store(out, &error),
            Self::Told(exit) => exit,
        }
    }
}

/// Whose runs are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Of one requirement: more of them are refused.
    One,
    /// Of any: whoever takes the rows tells them apart.
    Any,
}

/// Reads all runs that were asked for and hands them on, one by one.
///
/// # Errors
/// The first that cannot be read.
pub(crate) fn read(
    args: &Judged,
    whose: Whose,
    want: &Want,
    out: Out,
    take: &mut dyn FnMut(Row),
) -> Result<Offered, Unread> {
    let mut sieve = Sieve { asked: args.requirement.as_deref(), whose, offered: Offered::default(), take };
    if let Some(said) = &args.index {
        index::read(args, said, want, out, &mut sieve)?;
    }
    for source in &args.runs {
        let path = Path::new(source);
        if source != "-" && path.is_dir() {
            sieve.offered.folders = true;
            folders::read(path, want, &mut sieve)?;
        } else if source != "-" && !path.exists() {
            let project = here(out).map_err(Unread::Told)?;
            let root = find::runs_root(args.out.as_deref(), &project.root);
            match find::locate(&root, Some(source)) {
                Ok(folder) => {
                    sieve.offered.folders = true;
                    folders::read(&folder, want, &mut sieve)?;
                }
                Err(error @ StoreError::RunAmbiguous { .. }) => return Err(Unread::Store(error)),
                Err(_) => return Err(unreadable(source, "there is neither a file nor a run of this name")),
            }
        } else {
            lines::read(source, want, &mut sieve)?;
        }
    }
    let Sieve { mut offered, asked, .. } = sieve;
    if let Some(asked) = asked {
        offered.requirement = Some(asked.to_owned());
    }
    Ok(offered)
}

/// Lets through what belongs to the requirement that is asked for.
struct Sieve<'a> {
    asked: Option<&'a str>,
    whose: Whose,
    offered: Offered,
    take: &'a mut dyn FnMut(Row),
}

impl Sieve<'_> {
    /// Takes a row, or names the two requirements that stand side by side.
    fn row(&mut self, row: Row) -> Result<(), (String, String)> {
        let requirement = row.requirement.as_deref();
        match (self.asked, self.whose) {
            (Some(asked), _) if requirement != Some(asked) => {
                self.offered.others += 1;
                return Ok(());
            }
            (Some(_), _) | (None, Whose::Any) => {}
            (None, Whose::One) => match (&self.offered.requirement, requirement) {
                (Some(known), Some(other)) if known != other => return Err((known.clone(), other.to_owned())),
                (None, Some(first)) => self.offered.requirement = Some(first.to_owned()),
                _ => {}
            },
        }
        self.offered.runs += 1;
        (self.take)(row);
        Ok(())
    }

    /// Something about a run folder; so many are kept that a reader takes in.
    fn notice(&mut self, code: Code, message: String) {
        if self.offered.noticed.len() < 20 {
            self.offered.noticed.push((code, message));
        }
    }
}

fn mixed(file: &str, (first, other): (String, String)) -> Unread {
    let short = |text: &str| probity_core::inert::shortened(text, 60).into_owned();
    let message = format!("runs of {} and of {}", short(&first), short(&other));
    let help = format!("choose one: --requirement {}", short(&first));
    Unread::Text(Box::new(error(Code::RunsMixed, file, message, help)), None)
}

fn unreadable(file: &str, why: &str) -> Unread {
    let help = "name a file of JSON lines or a JSON array, a run folder, or a run".to_owned();
    Unread::Text(Box::new(error(Code::DocumentUnreadable, file, why.to_owned(), help)), None)
}

fn error(code: Code, file: &str, message: String, help: String) -> Diagnostic {
    let file = if file == "-" { "standard input" } else { file };
    Diagnostic {
        code,
        severity: Severity::Error,
        file: file.to_owned(),
        place: None,
        subject: None,
        message,
        help: Some(help),
    }
}

/// A fault in a row that stands in `text`, whose first line is number `line` of the file and begins at `column`.
fn faulty(file: &str, text: &[u8], line: usize, column: usize, fault: &RowFault) -> Unread {
    /// More of a line than this is not quoted.
    const QUOTED: usize = 1 << 20;
    let help = if fault.help.is_empty() { fault.code.explanation().remedy.to_owned() } else { fault.help.clone() };
    let mut diagnostic = error(fault.code, file, fault.message.clone(), help);
    let text = String::from_utf8_lossy(&text[..text.len().min(QUOTED)]).into_owned();
    let offset = (0..=fault.offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let place = Lines::new(&text).place(offset, offset);
    let column = if place.line == 1 { place.column as usize + column - 1 } else { place.column as usize };
    diagnostic.place = Some(Place::new(offset, offset, place.line as usize + line - 1, column));
    Unread::Text(Box::new(diagnostic), Some(text))
}
