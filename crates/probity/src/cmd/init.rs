//! `init`: writes a plan and settings to start from; both or none, and never over anything.
//!
//! The plan can be run at once and claims only what it checks: that the service answers. With `--url` the service is asked
//! once; the status that came is what the plan expects, the form of the answer stands in a comment marked as observed, for
//! what a system answered once is no requirement. Its comments say how to go on from there. Of a service that is not on this machine nothing is declared: what it is and whose data it holds is for a
//! person to say, and until then a run ends inconclusive.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, Given, check};
use probity_core::codes::Code;
use probity_core::environment::Origin;
use probity_core::json::Limits;
use probity_core::observe::HttpCall;
use probity_probes::http::{Client, Secrets, Settings};

use super::fail;
use crate::cli::InitArgs;
use crate::draft::shape;
use crate::out::Out;
use crate::project::SETTINGS;

/// The plan's file name.
const PLAN: &str = "first.probity.yaml";

/// Where a service is taken to answer while nobody says otherwise.
const USUAL: &str = "http://127.0.0.1:8080";

/// What the service answered when it was asked.
struct Seen {
    status: u16,
    /// The types of its first fields, if it was JSON.
    shape: Option<String>,
}

/// Writes plan and settings.
pub(crate) fn init(args: &InitArgs, out: Out) -> u8 {
    let url = args.url.as_deref().unwrap_or(USUAL);
    if texts(url, None, None).is_none() {
        return fail(
            out,
            Code::UrlMalformed,
            &format!("no plan can be written for the url {url}"),
            "write scheme, host, port and path, as in http://127.0.0.1:8080/health",
        );
    }
    if let Some(there) = [PLAN, SETTINGS].map(|name| args.folder.join(name)).iter().find(|path| is_there(path)) {
        return exists(there, out);
    }
    let asked = args.url.as_ref().map(|url| look(url));
    if let Some(Err(why)) = &asked {
        out.warn(&format!("{url} was asked and gave no answer ({why}); the plan expects 200"));
    }
    let seen = asked.and_then(Result::ok);
    let person = args.url.is_some() && !out.json && io::stdin().is_terminal() && io::stderr().is_terminal();
    let data = person.then(|| whose(url, &mut io::stdin().lock(), &mut io::stderr().lock())).flatten();
    // An answer whose form could not be written as a plan is left out of it.
    let Some(texts) = texts(url, seen.as_ref(), data).or_else(|| texts(url, None, data)) else { return super::USAGE };
    let paths: Vec<(PathBuf, &String)> = texts.iter().map(|(name, text)| (args.folder.join(name), text)).collect();
    match write(&args.folder, &paths) {
        Ok(()) => {}
        Err((path, error)) if error.kind() == io::ErrorKind::AlreadyExists => return exists(&path, out),
        Err((path, error)) => {
            let message = format!("{} cannot be written: {error}", path.display());
            return fail(out, Code::FolderUnwritable, &message, "choose another folder");
        }
    }
    let written: Vec<String> = paths.iter().map(|(path, _)| shown(path)).collect();
    if out.json {
        out.data(&format!("{}\n", serde_json::json!({"schema": "probity/init/1", "written": written})));
    } else {
        for path in &written {
            out.data(&format!("wrote {path}\n"));
        }
        out.talk(&next(&args.folder));
    }
    0
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Asks the service once, with GET and without following it anywhere.
fn look(url: &str) -> Result<Seen, String> {
    let call = HttpCall::get(url, Origin::of(url).into_iter().collect());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let (_alive, cancel) = tokio::sync::watch::channel(false);
    let mut client = Client::new(&Settings::default());
    let until = Instant::now() + Duration::from_secs(15);
    let exchange = runtime.block_on(client.send(&call, &Secrets::new(), &cancel, until));
    let whole = exchange.failure.is_none();
    let Some(hop) = exchange.hops.last() else {
        return Err(exchange.failure.map_or_else(|| "no answer".to_owned(), |failure| failure.message));
    };
    let body = hop.decoded.as_ref().unwrap_or(&hop.wire);
    let json = probity_core::json::read(body, &Limits { depth: 64, nodes: 200_000 }).ok().filter(|_| whole);
    Ok(Seen { status: hop.status, shape: json.as_ref().and_then(shape) })
}

/// The one question: whose data the service holds. `None` where that is not said.
fn whose(url: &str, input: &mut dyn BufRead, output: &mut dyn io::Write) -> Option<&'static str> {
    const KINDS: [&str; 5] = ["disposable", "seeded", "shared", "live", "mock"];
    let _ = write!(output, "Whose data does {url} hold ({}; empty: not said)? ", KINDS.join(", "))
        .and_then(|()| output.flush());
    let mut line = String::new();
    io::Read::take(input, 100).read_line(&mut line).ok()?;
    KINDS.into_iter().find(|kind| *kind == line.trim())
}

fn exists(path: &Path, out: Out) -> u8 {
    let message = format!("{} is already there, so nothing was written", shown(path));
    fail(out, Code::FileExists, &message, "move it away, or name another folder: probity init FOLDER")
}

fn next(folder: &Path) -> String {
    let change = if folder == Path::new(".") { String::new() } else { format!("cd {} && ", folder.display()) };
    format!("\nTry next\n  {change}probity run\n  then say in {PLAN} what the answer has to hold, and run again")
}

/// A path without the `./` before it.
pub(super) fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// Writes all files, or none: what was written is taken away again when another cannot be.
pub(super) fn write(folder: &Path, files: &[(PathBuf, &String)]) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_path_buf(), error))?;
    for (at, (path, text)) in files.iter().enumerate() {
        let opened = OpenOptions::new().write(true).create_new(true).open(path);
        let mine = if opened.is_ok() { at + 1 } else { at };
        if let Err(error) = opened.and_then(|mut file: File| file.write_all(text.as_bytes())) {
            for (path, _) in &files[..mine] {
                let _ = fs::remove_file(path);
            }
            return Err((path.clone(), error));
        }
    }
    Ok(())
}

/// Plan and settings for a URL, by file name; `None` where they would not pass the check.
fn texts(url: &str, seen: Option<&Seen>, data: Option<&str>) -> Option<[(&'static str, String); 2]> {
    let url = url::Url::parse(url).ok()?;
    let mut target = url.path().to_owned();
    if let Some(query) = url.query() {
        target = format!("{target}?{query}");
    }
    let here = match url.host()? {
        url::Host::Domain(name) => name == "localhost",
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => address.is_loopback(),
    };
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let origin = url.origin().ascii_serialization();
    let texts = [(PLAN, plan(&target, seen)), (SETTINGS, settings(&origin, here, data))];
    (plain && passes(&texts[0].1, &texts[1].1)).then_some(texts)
}

/// Whether the check of plans finds nothing at all.
fn passes(plan: &str, settings: &str) -> bool {
    let checked = check(&Ask {
        given: Given::Written(PLAN, plan.as_bytes()),
        profile: Some((SETTINGS, settings.as_bytes())),
        environment: None,
        files: &|_| FileFact::Missing,
        parse: &crate::derive::parse,
    });
    checked.is_ok_and(|checked| checked.findings().is_empty())
}

fn plan(target: &str, seen: Option<&Seen>) -> String {
    let status = seen.map_or(200, |seen| seen.status);
    let from = if seen.is_some() { "             # from: observed" } else { "" };
    let example = match seen.and_then(|seen| seen.shape.as_ref()) {
        Some(shape) => format!("From: observed, which is no requirement yet:\n          # json: {shape}"),
        None => "For example:\n          # json: {name: Mug, items.0.price: {gt: 0}, items: {length: 3}}".to_owned(),
    };
    format!(
        r#"schemaVersion: 2
requirement:
  title: First look
  criteria:                     # what must hold, and the layer that has to show it
    - {{id: FIRST-1, needs: api, about: status, text: "The service answers {status}."}}
cases:
  - id: FIRST-001
    title: the service answers
    covers: [FIRST-1]
    steps:
      - http: "GET {target}"
        expect:
          status: {status}{from}
          # Next: say here and in the text what the answer has to hold, and take `about: status` away. {example}
"#
    )
}

fn settings(origin: &str, here: bool, said: Option<&str>) -> String {
    let data = "disposable, seeded, shared, live or mock: whose data it holds";
    let (name, declared) = if here {
        let said = said.unwrap_or("disposable");
        ("local", format!("    kind: local\n    data: {said:<10}            # {data}\n"))
    } else {
        let say = "    # Say what this is; until then a run ends inconclusive.";
        let kinds = "local, ci, qa, staging or production";
        let (mark, said) = said.map_or(("# ", "shared"), |said| ("", said));
        (
            "remote",
            format!("{say}\n    # kind: staging             # {kinds}\n    {mark}data: {said}              # {data}\n"),
        )
    };
    format!(
        "version: 1\ndefault_environment: {name}\nenvironments:\n  {name}:\n    url: \"{origin}\"\n{declared}    \
         # identity: {{http: GET /version, json: build}}      which build answers\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_passes_the_check() {
        for (url, target, origin) in [
            ("http://127.0.0.1:8080", "GET /", "http://127.0.0.1:8080"),
            ("http://localhost:8080/api/items?limit=3", "GET /api/items?limit=3", "http://localhost:8080"),
            ("https://[::1]/health", "GET /health", "https://[::1]"),
            ("https://shop.example/a%20b/\"", "GET /a%20b/%22", "https://shop.example"),
        ] {
            let [(_, plan), (_, settings)] = texts(url, None, None).unwrap_or_else(|| panic!("{url}"));
            assert!(plan.contains(&format!("\"{target}\"")), "{plan}");
            assert!(settings.contains(&format!("\"{origin}\"")), "{settings}");
            assert!(plan.lines().count() <= 15, "{plan}");
            let next = plan.replace("# json:", "json:").replace(", about: status", "");
            assert!(next.len() < plan.len() && passes(&next, &settings), "{next}");
            assert_eq!(settings.contains("\n    data: "), !url.contains("example"), "{settings}");
        }
    }

    #[test]
    fn what_was_seen_is_expected_as_a_status_and_noted_as_a_form() {
        let seen = Seen { status: 404, shape: Some("{error: {type: string}}".to_owned()) };
        let [(_, plan), (_, settings)] = texts("http://127.0.0.1:1/x", Some(&seen), Some("seeded")).unwrap();
        for part in
            ["answers 404.", "status: 404             # from: observed", "          # json: {error: {type: string}}"]
        {
            assert!(plan.contains(part), "{part}\n{plan}");
        }
        assert!(settings.contains("data: seeded "), "{settings}");
        let next = plan.replace("# json:", "json:").replace(", about: status", "");
        assert!(passes(&next, &settings), "{next}");
        let [_, (_, settings)] = texts("https://shop.example", None, Some("live")).unwrap();
        assert!(settings.contains("\n    data: live ") && settings.contains("\n    # kind: "), "{settings}");
    }

    #[test]
    fn one_question_is_asked_and_only_known_words_are_answers() {
        for (answer, said) in
            [("live\n", Some("live")), (" seeded ", Some("seeded")), ("\n", None), ("prod", None), ("", None)]
        {
            let mut asked = Vec::new();
            assert_eq!(whose("http://a.example", &mut answer.as_bytes(), &mut asked), said, "{answer}");
            assert!(String::from_utf8(asked).unwrap().starts_with("Whose data does http://a.example hold"));
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for url in [
            "",
            "127.0.0.1:8080",
            "/health",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "http://u:p@127.0.0.1",
            "http://127.0.0.1/#top",
            "http://127.0.0.1/?a={b}",
            "data:text/plain,x",
        ] {
            assert!(texts(url, None, None).is_none(), "{url}");
        }
    }

    #[test]
    fn both_are_written_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let text = "x".to_owned();
        let files = [(dir.path().join("a"), &text), (dir.path().join("b"), &text)];
        fs::write(dir.path().join("b"), "mine").unwrap();
        let (path, error) = write(dir.path(), &files).unwrap_err();
        assert_eq!((path, error.kind()), (dir.path().join("b"), io::ErrorKind::AlreadyExists));
        assert!(!dir.path().join("a").exists());
        assert_eq!(fs::read_to_string(dir.path().join("b")).unwrap(), "mine");
        fs::remove_file(dir.path().join("b")).unwrap();
        write(dir.path(), &files).unwrap();
    }
}
