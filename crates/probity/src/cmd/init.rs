//! `init`: writes a plan and settings to start from; both or none, and never over anything.
//!
//! The plan can be run at once and claims only what it checks: that the service answers. Its comments say how to go on
//! from there. Of a service that is not on this machine nothing is declared: what it is and whose data it holds is for a
//! person to say, and until then a run ends inconclusive.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, Given, check};
use probity_core::codes::Code;

use super::fail;
use crate::cli::InitArgs;
use crate::out::Out;
use crate::project::SETTINGS;

/// The plan's file name.
const PLAN: &str = "first.probity.yaml";

/// Writes plan and settings.
pub(crate) fn init(args: &InitArgs, out: Out) -> u8 {
    let Some(texts) = texts(&args.url) else {
        return fail(
            out,
            Code::UrlMalformed,
            &format!("no plan can be written for the url {}", args.url),
            "write scheme, host, port and path, as in http://127.0.0.1:8080/health",
        );
    };
    let paths: Vec<(PathBuf, &String)> = texts.iter().map(|(name, text)| (args.folder.join(name), text)).collect();
    if let Some((there, _)) = paths.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
        return exists(there, out);
    }
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

fn exists(path: &Path, out: Out) -> u8 {
    let message = format!("{} is already there, so nothing was written", shown(path));
    fail(out, Code::FileExists, &message, "move it away, or name another folder: probity init FOLDER")
}

fn next(folder: &Path) -> String {
    let change = if folder == Path::new(".") { String::new() } else { format!("cd {} && ", folder.display()) };
    format!("\nTry next\n  {change}probity run\n  then say in {PLAN} what the answer has to hold, and run again")
}

/// A path without the `./` before it.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// Writes both files, or none: what was written is taken away again when the other cannot be.
fn write(folder: &Path, files: &[(PathBuf, &String)]) -> Result<(), (PathBuf, io::Error)> {
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
fn texts(url: &str) -> Option<[(&'static str, String); 2]> {
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
    let texts = [(PLAN, plan(&target)), (SETTINGS, settings(&origin, here))];
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

fn plan(target: &str) -> String {
    format!(
        r#"schemaVersion: 2
requirement:
  title: First look
  criteria:                     # what must hold, and the layer that has to show it
    - {{id: FIRST-1, needs: api, about: status, text: "The service answers 200."}}
cases:
  - id: FIRST-001
    title: the service answers
    covers: [FIRST-1]
    steps:
      - http: "GET {target}"
        expect:
          status: 200
          # Next: say here and in the text what the answer has to hold, and take `about: status` away. For example:
          # json: {{name: Mug, items.0.price: {{gt: 0}}, items: {{length: 3}}}}
"#
    )
}

fn settings(origin: &str, here: bool) -> String {
    let data = "disposable, seeded, shared, live or mock: whose data it holds";
    let (name, declared) = if here {
        ("local", format!("    kind: local\n    data: disposable            # {data}\n"))
    } else {
        let say = "    # Say what this is; until then a run ends inconclusive.";
        let kinds = "local, ci, qa, staging or production";
        (
            "remote",
            format!("{say}\n    # kind: staging             # {kinds}\n    # data: shared              # {data}\n"),
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
            let [(_, plan), (_, settings)] = texts(url).unwrap_or_else(|| panic!("{url}"));
            assert!(plan.contains(&format!("\"{target}\"")), "{plan}");
            assert!(settings.contains(&format!("\"{origin}\"")), "{settings}");
            assert!(plan.lines().count() <= 15, "{plan}");
            let next = plan.replace("# json:", "json:").replace(", about: status", "");
            assert!(next.len() < plan.len() && passes(&next, &settings), "{next}");
            assert_eq!(settings.contains("\n    data: "), !url.contains("example"), "{settings}");
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
            assert!(texts(url).is_none(), "{url}");
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
