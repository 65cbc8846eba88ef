//! The report of Playwright's json reporter, spec by spec: a spec is given away as soon as it is read, so the size of a
//! report does not matter, only that of its largest spec.

use std::io::Read;

use probity_core::playwright::{Attachment, Attempt, Entry, Spec};

use crate::json_stream::{Stream, StreamFault};

/// Longest title, path or name that is taken, in bytes.
const LONGEST_NAME: usize = 64 * 1024;
/// How much of a message is kept, in bytes. A summary shows 500 characters of it.
const LONGEST_MESSAGE: usize = 64 * 1024;
/// Deepest nesting of groups.
const DEEPEST_GROUP: usize = 100;
/// Most attempts of one spec, and attachments of one attempt.
const MOST: usize = 100_000;

/// What comes out of a report, in the order in which it stands there.
#[derive(Debug)]
pub enum Part {
    /// A spec.
    Spec(Spec),
    /// An error outside of every test.
    Error(String),
    /// Playwright's version.
    Version(String),
    /// When the run started.
    Started(String),
}

/// Reads a report.
///
/// # Errors
/// The first fault; what was given away before it is worth nothing.
pub fn read(source: impl Read, take: &mut dyn FnMut(Part)) -> Result<(), StreamFault> {
    let mut stream = Stream::new(source);
    stream.document(&mut |stream, name| match name {
        "config" => stream.object(&mut |stream, name| match name {
            "version" => text(stream, Part::Version, take),
            _ => stream.skip(),
        }),
        "stats" => stream.object(&mut |stream, name| match name {
            "startTime" => text(stream, Part::Started, take),
            _ => stream.skip(),
        }),
        "errors" => stream.list(&mut |stream| {
            let message = message(stream)?;
            take(Part::Error(message.unwrap_or_default()));
            Ok(())
        }),
        "suites" => suites(stream, 0, take),
        _ => stream.skip(),
    })
}

fn text<R: Read>(
    stream: &mut Stream<R>,
    part: fn(String) -> Part,
    take: &mut dyn FnMut(Part),
) -> Result<(), StreamFault> {
    if let Some(text) = stream.optional_text(LONGEST_NAME)? {
        take(part(text));
    }
    Ok(())
}

fn suites<R: Read>(stream: &mut Stream<R>, depth: usize, take: &mut dyn FnMut(Part)) -> Result<(), StreamFault> {
    if depth > DEEPEST_GROUP {
        return Err(StreamFault::TooLarge { what: "groups nest too deep", offset: 0 });
    }
    stream.list(&mut |stream| {
        stream.object(&mut |stream, name| match name {
            "specs" => stream.list(&mut |stream| {
                let spec = spec(stream)?;
                take(Part::Spec(spec));
                Ok(())
            }),
            "suites" => suites(stream, depth + 1, take),
            _ => stream.skip(),
        })
    })
}

fn spec<R: Read>(stream: &mut Stream<R>) -> Result<Spec, StreamFault> {
    let (mut spec, mut attempts) = (Spec::default(), 0);
    stream.object(&mut |stream, name| match name {
        "title" => name_into(stream, &mut spec.title),
        "tests" => stream.list(&mut |stream| {
            let entry = entry(stream, &mut attempts)?;
            spec.entries.push(entry);
            Ok(())
        }),
        _ => stream.skip(),
    })?;
    Ok(spec)
}

fn bounded(count: usize) -> Result<(), StreamFault> {
    if count > MOST {
        return Err(StreamFault::TooLarge { what: "one spec has more than 100000 parts", offset: 0 });
    }
    Ok(())
}

fn name_into<R: Read>(stream: &mut Stream<R>, into: &mut String) -> Result<(), StreamFault> {
    *into = stream.optional_text(LONGEST_NAME)?.unwrap_or_default();
    Ok(())
}

fn entry<R: Read>(stream: &mut Stream<R>, attempts: &mut usize) -> Result<Entry, StreamFault> {
    let mut entry = Entry::default();
    *attempts += 1;
    bounded(*attempts)?;
    stream.object(&mut |stream, name| match name {
        "projectName" => name_into(stream, &mut entry.project),
        "expectedStatus" => name_into(stream, &mut entry.expected),
        "results" => stream.list(&mut |stream| {
            *attempts += 1;
            bounded(*attempts)?;
            let attempt = attempt(stream)?;
            entry.attempts.push(attempt);
            Ok(())
        }),
        _ => stream.skip(),
    })?;
    Ok(entry)
}

fn attempt<R: Read>(stream: &mut Stream<R>) -> Result<Attempt, StreamFault> {
    let (mut attempt, mut own, mut first) = (Attempt::default(), None, None);
    let mut errors = 0;
    stream.object(&mut |stream, name| match name {
        "status" => name_into(stream, &mut attempt.status),
        "duration" => {
            attempt.duration = stream.optional_number()?.unwrap_or(0.0);
            Ok(())
        }
        "error" => {
            own = message(stream)?;
            Ok(())
        }
        "errors" => stream.list(&mut |stream| {
            errors += 1;
            if errors > 1 {
                return stream.skip();
            }
            first = message(stream)?;
            Ok(())
        }),
        "attachments" => stream.list(&mut |stream| {
            bounded(attempt.attachments.len())?;
            let attachment = attachment(stream)?;
            attempt.attachments.push(attachment);
            Ok(())
        }),
        _ => stream.skip(),
    })?;
    attempt.message = own.or(first);
    Ok(attempt)
}

/// The message of an error; of one that a spec threw as something else than an error, its value.
fn message<R: Read>(stream: &mut Stream<R>) -> Result<Option<String>, StreamFault> {
    let (mut message, mut value) = (None, None);
    stream.object(&mut |stream, name| {
        match name {
            "message" => message = stream.optional_text(LONGEST_MESSAGE)?,
            "value" => value = stream.optional_text(LONGEST_MESSAGE)?,
            _ => stream.skip()?,
        }
        Ok(())
    })?;
    Ok(message.or(value))
}

fn attachment<R: Read>(stream: &mut Stream<R>) -> Result<Attachment, StreamFault> {
    let mut attachment = Attachment::default();
    stream.object(&mut |stream, name| match name {
        "name" => name_into(stream, &mut attachment.name),
        "path" => {
            attachment.path = stream.optional_text(LONGEST_NAME)?.filter(|path| !path.is_empty());
            Ok(())
        }
        "body" => {
            attachment.body = stream.optional_text(0)?.is_some();
            Ok(())
        }
        _ => stream.skip(),
    })?;
    Ok(attachment)
}
