//! `doctor`: what this machine offers, each line with a remedy where something is missing. It asks this machine alone,
//! sends nothing and changes nothing.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use probity_core::json::Json;
use probity_probes::command::Isolated;
use probity_store::find;

use super::here;
use crate::answer::{clip, document};
use crate::cli::DoctorArgs;
use crate::out::Out;
use crate::screen::block::Block;

/// What one look came to.
struct Look {
    name: &'static str,
    /// What was found, or what is missing.
    found: Result<String, String>,
    /// What to do where it is missing.
    remedy: &'static str,
}

/// Looks at everything.
pub(crate) fn doctor(args: &DoctorArgs, out: Out) -> u8 {
    let project = match here(out) {
        Ok(project) => project,
        Err(exit) => return exit,
    };
    let runs = find::runs_root(args.out.as_deref(), &project.root);
    let looks = [
        Look {
            name: "sockets",
            found: loopback(),
            remedy: "allow this command to open connections; without them only commands can be run",
        },
        Look {
            name: "trust",
            found: probity_probes::trust_anchors()
                .map(|(path, count)| format!("{count} certificates of {path}"))
                .ok_or_else(|| "no bundle of trust anchors, so no https target can be trusted".to_owned()),
            remedy: "install the system's ca-certificates, or name the issuer under tls: {ca: FILE}",
        },
        Look {
            name: "git",
            found: version("git", &["--version"]).ok_or_else(|| "git cannot be started".to_owned()),
            remedy: "install git; without it a run does not say which commit it was",
        },
        Look {
            name: "browser",
            found: browser(),
            remedy: "install chromium; this build has no browser steps yet, so nothing needs it today",
        },
        Look {
            name: "isolation",
            found: isolation(),
            remedy: "nothing needs it; as root with CAP_SYS_ADMIN runs keep the programs they start out of their folder",
        },
        Look { name: "clock", found: clock(), remedy: "set the clock: the times of a run are read from it" },
        Look {
            name: "runs",
            found: room(&runs),
            remedy: "free space or permit writing there, or choose another folder with --out",
        },
    ];
    if out.json {
        out.data(&answer(&looks));
    } else {
        let mut block = Block::new(out);
        for look in &looks {
            let (word, text) = match &look.found {
                Ok(found) => ("ok", found.clone()),
                Err(missing) => ("WARN", format!("{missing}; {}", look.remedy)),
            };
            block.row(0, word, 6, &format!("{:<12}{text}", look.name));
        }
        out.data(&block.done());
    }
    0
}

fn answer(looks: &[Look]) -> String {
    let rows = looks.iter().map(|look| {
        let text = match &look.found {
            Ok(text) | Err(text) => clip(text, 300),
        };
        Json::map([
            ("name", Json::from(look.name)),
            ("ok", look.found.is_ok().into()),
            ("found", text.into()),
            ("remedy", look.found.is_err().then_some(look.remedy).into()),
        ])
    });
    document(&Json::map([
        ("schema", Json::from("probity/doctor/1")),
        ("exit", 0.into()),
        ("ok", looks.iter().all(|look| look.found.is_ok()).into()),
        ("looks", Json::List(rows.collect())),
    ]))
}

/// A connection from this process to itself.
fn loopback() -> Result<String, String> {
    let switch = crate::out::agent().filter(|name| name.starts_with("CODEX_SANDBOX"));
    let switch = switch.map_or_else(String::new, |name| format!(" ({name} is set)"));
    let denied = |what: &str, error: &std::io::Error| format!("this process may not {what}: {error}{switch}");
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|e| denied("listen on 127.0.0.1", &e))?;
    let address = listener.local_addr().map_err(|e| denied("listen on 127.0.0.1", &e))?;
    TcpStream::connect_timeout(&address, Duration::from_secs(2)).map_err(|e| denied("connect to 127.0.0.1", &e))?;
    Ok("connections to 127.0.0.1 are allowed".to_owned())
}

/// The first line that a program says of its version; `None` where it cannot be started.
fn version(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or(program).chars().take(100).collect())
}

/// A Chrome or Chromium on the search path. It is not started: that can take seconds.
fn browser() -> Result<String, String> {
    const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.into_iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file());
    found.map(|file| file.display().to_string()).ok_or_else(|| "no Chrome or Chromium on the search path".to_owned())
}

/// Whether programs can be started in a mount namespace of their own.
fn isolation() -> Result<String, String> {
    match Isolated::from(&[]) {
        Some(_) => Ok("programs that a run starts are kept out of its folder".to_owned()),
        None => Err("this process may not make mount namespaces, so runs say isolation none".to_owned()),
    }
}

/// A clock before the day on which this program was built is wrong.
fn clock() -> Result<String, String> {
    let built = std::env::current_exe().and_then(std::fs::metadata).and_then(|facts| facts.modified());
    let now = SystemTime::now();
    match built {
        Ok(built) if now + Duration::from_secs(60) < built => {
            Err("the clock stands before this program was built".to_owned())
        }
        _ => Ok(jiff::Timestamp::try_from(now).map_or_else(|_| "it runs".to_owned(), |now| format!("{now:.0}"))),
    }
}

/// Less than so many bytes of free space are worth a word.
const LITTLE: u64 = 256 << 20;

/// Space and permission where runs are kept, or would be.
fn room(runs: &Path) -> Result<String, String> {
    let Some(folder) = runs.ancestors().find(|folder| folder.is_dir()) else {
        return Err(format!("{} cannot be reached", runs.display()));
    };
    if rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_err() {
        return Err(format!("{} cannot be written to", folder.display()));
    }
    let facts = rustix::fs::statvfs(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let free = facts.f_bavail.saturating_mul(facts.f_frsize);
    let text = format!("{} MiB free for {}", free >> 20, runs.display());
    if free < LITTLE { Err(text) } else { Ok(text) }
}
