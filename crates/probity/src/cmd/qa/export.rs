//! `qa export`: everything as JSON lines, which `qa import` reads, or the runs as a table. Read as of one moment, and written
//! a piece at a time.

mod table;

use std::io::{BufWriter, Write as _};
use std::path::Path;

use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::qa::QaRun;
use probity_core::qa::line::Line;
use probity_store::index::{Head, Index, IndexError};

use super::{Desk, Exit, fail_index, fresh_key};
use crate::answer::{clip, document};
use crate::cli::qa::{ExportArgs, ExportForm};
use crate::cmd::fail;
use crate::out::Out;

/// Why an export ended early.
enum Ended {
    Index(IndexError),
    Write(std::io::Error),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<IndexError> for Ended {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

/// Where an export goes.
type Sink<'a> = &'a mut (dyn std::io::Write + Send);

pub(super) fn export(args: &ExportArgs, out: Out) -> Exit {
    if out.json && args.output.is_none() {
        let help = "say -o FILE, or leave --format json out";
        return Err(fail(out, Code::UsageError, "an export is a document of its own", help));
    }
    if args.form == ExportForm::Parquet && args.output.is_none() {
        return Err(fail(out, Code::UsageError, "Parquet is no text for a terminal", "say -o FILE"));
    }
    let desk = Desk::of(&args.at, out)?;
    let mut index = desk.open(out)?;
    let Some(file) = &args.output else {
        let mut stdout = BufWriter::new(std::io::stdout());
        return match write(&mut index, args, &mut stdout).and_then(|rows| Ok(stdout.flush().map(|()| rows)?)) {
            // A reader that went away is a quiet end.
            Ok(_) | Err(Ended::Write(_)) => Ok(0),
            Err(Ended::Index(error)) => Err(fail_index(out, &error)),
        };
    };
    let rows = whole(file, |sink| write(&mut index, args, sink)).map_err(|ended| match ended {
        Ended::Index(error) => fail_index(out, &error),
        Ended::Write(error) => {
            let message = format!("{} cannot be written: {error}", file.display());
            fail(out, Code::FolderUnwritable, &message, "choose another file with -o")
        }
    })?;
    let shown = file.display().to_string();
    if out.json {
        out.data(&document(&Json::map([
            ("schema", Json::from("probity/qa-export-written/1")),
            ("exit", 0.into()),
            ("written", clip(&shown, 300).into()),
            ("rows", rows.into()),
        ])));
    } else {
        out.data(&format!("wrote {rows} rows to {}\n", probity_core::inert::inert(&shown)));
    }
    Ok(0)
}

/// Whole or not at all: another name first, then the right one.
fn whole(file: &Path, write: impl FnOnce(Sink<'_>) -> Result<u64, Ended>) -> Result<u64, Ended> {
    let mut part = file.as_os_str().to_owned();
    part.push(fresh_key(".part-"));
    let open = std::fs::OpenOptions::new().write(true).create_new(true).open(&part)?;
    let mut sink = BufWriter::new(open);
    let done = write(&mut sink).and_then(|rows| {
        sink.flush()?;
        sink.get_ref().sync_all()?;
        std::fs::rename(&part, file)?;
        Ok(rows)
    });
    if done.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    done
}

/// Writes what was asked for; gives the number of rows.
fn write(index: &mut Index, args: &ExportArgs, sink: Sink<'_>) -> Result<u64, Ended> {
    // What a read inside fails with, and what writing does, go different ways out.
    let mut unwritten = None;
    let done = index.at_once(|index| {
        let written = match args.form {
            ExportForm::Jsonl => lines(index, &args.ids, sink),
            ExportForm::Csv => table::csv(index, &args.ids, sink),
            ExportForm::Parquet => table::parquet(index, &args.ids, sink),
        };
        match written {
            Ok(rows) => Ok(rows),
            Err(Ended::Index(error)) => Err(error),
            Err(Ended::Write(error)) => {
                unwritten = Some(error);
                Ok(0)
            }
        }
    });
    let rows = done?;
    unwritten.map_or(Ok(rows), |error| Err(Ended::Write(error)))
}

fn heads(index: &mut Index, ids: &[String]) -> Result<Vec<Head>, IndexError> {
    if ids.is_empty() { index.heads() } else { ids.iter().map(|id| index.head(id)).collect() }
}

/// Every run of a requirement, in order.
fn each_run(
    index: &mut Index,
    requirement: &str,
    take: &mut dyn FnMut(QaRun) -> Result<(), Ended>,
) -> Result<(), Ended> {
    let mut after = 0;
    loop {
        let page = index.runs_after(requirement, after)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.n;
        for run in page {
            take(run)?;
        }
    }
}

/// Versions stand before the runs that were recorded under them, so that an import records them under the same ones.
fn lines(index: &mut Index, ids: &[String], sink: Sink<'_>) -> Result<u64, Ended> {
    let mut rows = 0;
    let mut say = |line: &Line, sink: Sink<'_>| -> Result<(), Ended> {
        rows += 1;
        Ok(writeln!(sink, "{}", line.write())?)
    };
    say(&Line::Form, sink)?;
    for head in heads(index, ids)? {
        let id = head.requirement.id.clone();
        say(&Line::Requirement(head.requirement), sink)?;
        let mut versions = index.versions(&id)?.into_iter().peekable();
        each_run(index, &id, &mut |run| {
            while let Some(version) = versions.next_if(|version| version.version <= run.version) {
                say(&Line::Version(version), sink)?;
            }
            say(&Line::Run(Box::new(run)), sink)
        })?;
        for version in versions {
            say(&Line::Version(version), sink)?;
        }
        for waiver in index.waivers(&id)? {
            say(&Line::Waiver(waiver), sink)?;
        }
    }
    // Decisions are about whole phases; a part of the requirements has none of its own.
    if ids.is_empty() {
        for decision in index.decisions()? {
            say(&Line::Decision(decision), sink)?;
        }
    }
    Ok(rows)
}
