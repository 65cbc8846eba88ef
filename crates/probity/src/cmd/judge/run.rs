//! `judge run`: everything that is shown, handed to a judge with its controls, and the QA run that comes of it.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::judge::{Asked, Exhibit, HandedIn, Judge, Question, Role, row};
use probity_core::redact::Redactor;
use probity_core::secret;
use probity_core::verify::Verified;
use probity_store::find;

use super::{Judged, profile, refuse};
use crate::cli::judge::RunArgs;
use crate::cmd::report::reportable;
use crate::cmd::run::{event_loop, interrupts};
use crate::cmd::{here, locate};
use crate::judging::{self, HandIn, MOST_CALLS, Refused, Request, Taken};
use crate::out::Out;
use crate::project::Project;
use crate::{answer, derive, screen};

/// The longest criterion, in characters.
const LONGEST_CRITERION: usize = 4_000;

/// Has something judged.
pub(super) fn run(args: &RunArgs, out: Out) -> u8 {
    match judged(args, out) {
        Ok(judged) => tell(&judged, args, out),
        Err(exit) => exit,
    }
}

fn tell(judged: &Judged, args: &RunArgs, out: Out) -> u8 {
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    out.data(&match (to_stdout, out.json) {
        (true, _) => answer::document(&row(&judged.record, &judged.conclusion)),
        (false, true) => answer::document(&answer::judge::run(judged)),
        (false, false) => screen::judge::run(judged, out),
    });
    judged.exit()
}

/// # Errors
/// The exit code, after the reason was given.
fn judged(args: &RunArgs, out: Out) -> Result<Judged, u8> {
    let project = here(out)?;
    let declared = profile(&project, out)?.judges;
    let judge = judging::known(&args.judge, &declared).map_err(|refused| refuse(&refused, out))?;
    let taken = args.run.as_deref().map(|run| taken(run, args, out)).transpose()?;
    let mut redactor = judging::redactor(&judge);
    let shown = show(args, taken.as_ref(), &mut redactor).map_err(|refused| refuse(&refused, out))?;
    let root = find::runs_root(args.out.as_deref(), &project.root);
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        ends_a_line(path).map_err(|refused| refuse(&refused, out))?;
    }
    let kept = [Some(root.as_path()), taken.as_ref().map(|(dir, ..)| dir.as_path()), output];
    let kept: Vec<&Path> = kept.into_iter().flatten().filter(|path| path.exists()).collect();
    let (record, conclusion) = ask(args, &project, &judge, shown, &kept, redactor, taken.as_ref(), out)?;
    let written = output.map(|path| add(path, &row(&record, &conclusion))).transpose();
    let written = written.map_err(|refused| refuse(&refused, out))?;
    Ok(Judged { record, conclusion, written })
}

/// The run that evidence is taken from: its folder, and what it comes to.
type Source = (PathBuf, Verified, Taken);

fn taken(run: &str, args: &RunArgs, out: Out) -> Result<Source, u8> {
    let dir = locate(out, Some(run), args.out.as_ref())?;
    let verified = derive::verify(&dir, None, None);
    reportable(&verified, &dir, out)?;
    let taken = Taken::of(&verified, &dir);
    Ok((dir, verified, taken))
}

/// What is shown.
struct Shown {
    requirement: Option<String>,
    question: Question,
    handed: Vec<HandedIn>,
    known: Vec<(Asked, Exhibit, HandedIn)>,
}

fn show(args: &RunArgs, source: Option<&Source>, redactor: &mut Redactor) -> Result<Shown, Refused> {
    let (requirement, criterion) = criterion(args, source)?;
    let mut hand_in = HandIn::new(redactor);
    let (mut exhibits, mut handed) = (Vec::new(), Vec::new());
    let roles = [(Role::Image, &args.image), (Role::Evidence, &args.evidence), (Role::Baseline, &args.baseline)];
    for (role, path) in roles.into_iter().flat_map(|(role, paths)| paths.iter().map(move |path| (role, path))) {
        let (exhibit, from) = match (source, handle(path)) {
            (Some((_, Verified { judged: Some(judged), .. }, taken)), Some(id)) => {
                let (media, bytes) = taken.evidence(judged, id)?;
                hand_in.bytes(role, id, &media, bytes)?
            }
            _ => hand_in.file(role, path)?,
        };
        exhibits.push(exhibit);
        handed.push(from);
    }
    let question = Question { criterion, exhibits };
    let judged = question.judged();
    let role = match judged.first() {
        Some(first) => question.exhibits[*first].role,
        None => return Err(usage("nothing is shown that could be judged", "give --image FILE or --evidence FILE")),
    };
    let bad = args.known_bad.iter().enumerate().map(|(n, path)| (Asked::KnownBad(n), path));
    let good = args.known_good.iter().enumerate().map(|(n, path)| (Asked::KnownGood(n), path));
    let read =
        bad.chain(good).map(|(asked, path)| hand_in.file(role, path).map(|(exhibit, from)| (asked, exhibit, from)));
    let known = read.collect::<Result<Vec<_>, Refused>>()?;
    if judged.len() > 1 && !known.is_empty() {
        let help = "judge them one by one, or leave out --known-bad and --known-good";
        return Err(usage("something known stands in the place of what is judged, and more than one thing is", help));
    }
    let votes = usize::try_from(args.votes).unwrap_or(usize::MAX);
    if (1 + judged.len() + known.len()).saturating_mul(votes) > MOST_CALLS {
        return Err(usage(&format!("the judge would be asked more than {MOST_CALLS} times"), "ask for fewer votes"));
    }
    Ok(Shown { requirement, question, handed, known })
}

fn usage(message: &str, help: &str) -> Refused {
    Refused { code: Code::UsageError, message: message.to_owned(), help: help.to_owned() }
}

/// `e3`, and not a file.
fn handle(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let number = text.strip_prefix(['e', 'E'])?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The id of what is judged, and its text: the one that was given, or that the run has for the criterion.
fn criterion(args: &RunArgs, source: Option<&Source>) -> Result<(Option<String>, String), Refused> {
    let (id, text) = match (&args.criterion, &args.requirement, source) {
        (Some(text), id, _) => (id.clone(), text.clone()),
        (None, Some(id), Some((_, Verified { judged: Some(judged), .. }, _))) => {
            let planned = &judged.audited().checked().matrix().criteria;
            let found = planned.iter().find(|criterion| criterion.id.as_str().eq_ignore_ascii_case(id));
            let unknown = || Refused::new(Code::IdUnknown, format!("{id}: the run has no criterion of this id"));
            found.map(|criterion| (Some(criterion.id.to_string()), criterion.text.clone())).ok_or_else(unknown)?
        }
        _ => {
            return Err(usage(
                "what must hold is not said",
                "give --criterion TEXT, or --run RUN with a criterion of it",
            ));
        }
    };
    if text.trim().is_empty() || text.chars().count() > LONGEST_CRITERION {
        let message = format!("the criterion is empty, or longer than {LONGEST_CRITERION} characters");
        return Err(usage(&message, "say in a sentence what must hold"));
    }
    if let Some(found) = secret::find(&text).first() {
        let message = format!("the criterion holds {}; it would be shown to the judge and kept", found.kind.as_str());
        return Err(Refused { help: "leave it out".to_owned(), ..Refused::new(Code::SecretLiteral, message) });
    }
    Ok((id, text))
}

#[expect(clippy::too_many_arguments, reason = "each is a part of one request, and it is made here only")]
fn ask(
    args: &RunArgs,
    project: &Project,
    judge: &Judge,
    shown: Shown,
    kept: &[&Path],
    redactor: Redactor,
    source: Option<&Source>,
    out: Out,
) -> Result<(probity_core::judge::Record, probity_core::judge::Conclusion), u8> {
    let runtime = event_loop(out)?;
    let cancel = runtime.block_on(async { interrupts() });
    let request = Request {
        project,
        judge,
        authors: &args.author,
        requirement: shown.requirement,
        question: shown.question,
        shown: shown.handed,
        known: shown.known,
        votes: usize::try_from(args.votes).unwrap_or(usize::MAX),
        run: source.map(|(.., taken)| taken.clone()),
        kept: kept.to_vec(),
        redactor,
        cancel,
    };
    let judged = runtime.block_on(judging::judge(request));
    runtime.shutdown_timeout(Duration::from_millis(200));
    judged.map_err(|refused| refuse(&refused, out))
}

fn unwritable(path: &Path, error: impl std::fmt::Display) -> Refused {
    Refused::new(Code::FolderUnwritable, format!("{}: {error}", path.display()))
}

/// Whether a line may be added to a file: it is not there, or its last line has its end.
fn ends_a_line(path: &Path) -> Result<(), Refused> {
    let mut file = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(|error| unwritable(path, error))?,
    };
    let size = file.metadata().map_err(|error| unwritable(path, error))?.len();
    let mut last = [b'\n'];
    if size > 0 {
        let read = file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last));
        read.map_err(|error| unwritable(path, error))?;
    }
    if last == *b"\n" {
        Ok(())
    } else {
        Err(unwritable(path, "its last line has no end, so that nothing can be added"))
    }
}

/// Adds the QA run in one write.
fn add(path: &Path, row: &Json) -> Result<String, Refused> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(answer::document(row).as_bytes()));
    written.map_err(|error| unwritable(path, error))?;
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_told_from_files() {
        for (text, is) in [("e3", true), ("E12", true), ("e", false), ("e3.png", false), ("x3", false), ("./e3", false)]
        {
            assert_eq!(handle(Path::new(text)).is_some(), is, "{text}");
        }
    }
}
