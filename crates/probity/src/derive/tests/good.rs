//! Good runs to spoil, made by the engine against a server of the test.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use probity_store::naming::RUN_LIST;
use probity_store::snapshot::{Budget, Snapshot};
use probity_testkit::server::{Act, Server};
use tokio::sync::watch;

use super::serve::{argv, free_port};
use crate::derive::verify_snapshot;
use crate::engine::{self, Request, Shared};
use crate::plans;
use crate::project::Project;

/// Requests, a program, evidence in files, obligations, values that go from step to step, cleanup, an identity.
const PLAN: &str = r#"
schemaVersion: 2
requirement:
  title: Items stay
  criteria:
    - {id: C-1, needs: api, text: "Posting an item answers 201."}
    - {id: C-2, needs: persistence, text: "The item is found again."}
    - {id: C-3, needs: command, text: "The program counts one line."}
    - {id: C-4, needs: api, text: "A page is long."}
cases:
  - id: ITEM-1
    title: an item is kept
    covers: [C-1, C-2]
    steps:
      - http: POST /items
        json: {name: mug, note: "{qa_marker}"}
        expect: {status: 201, json: {id: {type: string}, name: mug}}
        save: {item: id}
        covers: [C-1]
      - http: GET /items/{item}
        expect: {status: 200, json: {name: mug, note: "{qa_marker}"}}
        shows: [persistence, marker]
        covers: [C-2]
    cleanup:
      - {http: "DELETE /items/{item}", expect: {status: 204}}
      - {http: "GET /items/{item}", expect: {status: 404}, shows: absence}
  - id: LONG-1
    title: long pages
    covers: [C-4]
    steps:
      - {http: GET /bytes?5000, expect: {status: 200, text: xxxx}}
      - {http: GET /bytes?6000, expect: {status: 200, text: xxxx}}
  - id: PROG-1
    title: a program counts
    covers: [C-3]
    steps:
      - run: [sh, tools/count.sh]
        expect: {exit: 0, text: 1 line}
"#;

/// A run as bytes.
pub(super) struct Good {
    /// Everything in its folder.
    pub(super) snapshot: Snapshot,
    /// The same on disk.
    pub(super) dir: std::path::PathBuf,
    /// The run list.
    pub(super) list: Vec<u8>,
    _folder: tempfile::TempDir,
}

/// A whole run that passed.
pub(super) fn whole() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    RUN.get_or_init(|| make(Server::start(), PLAN, &[], "", 0))
}

/// A run that failed, of cases that come after one another, name each other's values, ask again, fail and clean up.
pub(super) fn mixed() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let more = r#"
  - id: USES-1
    title: what another case left
    uses: [ITEM-1]
    covers: [C-4]
    steps:
      - {http: "GET /items/{item}", expect: {status: 404}}
      - {http: GET /bytes?30, expect: {status: 200, text: xxxx}}
  - id: NAMES-1
    title: a value of another case
    covers: [C-4]
    steps:
      - {http: "GET /echo?item={ITEM-1.item}", expect: {status: 200, json: {method: GET}}}
  - id: POLL-1
    title: asks again
    covers: [C-4]
    steps:
      - {http: GET /poll/3, poll: {every: 50ms, for: 60s}, expect: {status: 200, json: {state: ready}}}
  - id: FAIL-1
    title: answers otherwise
    covers: [C-4]
    steps:
      - {http: GET /bytes?5000, expect: {status: 201, text: xxxx}}
      - {http: GET /bytes?10, expect: {status: 200, text: xxxx}}
    cleanup:
      - {http: DELETE /items/77, expect: {status: 404}}
"#;
    RUN.get_or_init(|| make(Server::start(), &format!("{PLAN}{}", more.trim_start_matches('\n')), &[], "", 1))
}

/// A run of one case only, which is capped.
pub(super) fn partial() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    RUN.get_or_init(|| make(Server::start(), PLAN, &["ITEM-1"], "", 5))
}

/// A run that used up its probes after two of them.
pub(super) fn exhausted() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    RUN.get_or_init(|| make(Server::start(), PLAN, &[], "limits: {probes: 3}\n", 5))
}

/// A run whose only answer came coded.
pub(super) fn coded() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let step = "- {http: GET /gzip, expect: {status: 200, json: {coded: true}}}";
    RUN.get_or_init(|| make(Server::start(), &one_step(step), &[], "", 0))
}

/// A run whose only check an empty answer meets as well.
pub(super) fn weak() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let step = "- {http: GET /bytes?40, expect: {status: 200, size: {lt: 1MiB}}}";
    RUN.get_or_init(|| make(Server::start(), &one_step(step), &[], "", 5))
}

/// A run that polled three times: a whole answer that was not the right one, and two that were cut off. It failed.
pub(super) fn cut_off() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let answer = |length: usize, body: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        vec![Act::Read, Act::say(&format!("{head}Content-Length: {length}\r\n\r\n{body}"))]
    };
    let build = || answer(13, "{\"build\":\"1\"}");
    let state = || answer(19, "{\"state\":\"pending\"}");
    let cut = || answer(19, "{\"state\":");
    let step =
        "- {http: GET /job, poll: {every: 50ms, for: 60s, tries: 3}, expect: {status: 200, json: {state: ready}}}";
    RUN.get_or_init(|| {
        let server = Server::scripted(vec![Vec::new(), build(), state(), cut(), cut(), build()]);
        make(server, &one_step(step), &[], "", 1)
    })
}

/// A run that started a service, and looked into its log.
pub(super) fn served() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let steps =
        "- {http: GET /version, expect: {json: {build: {type: string}}}}, {log: shop, expect: {notText: ERROR}}";
    RUN.get_or_init(|| {
        let port = free_port();
        let argv: Vec<String> = argv().iter().map(|word| format!("{word:?}")).collect();
        let service = format!("id: shop, start: [{}], port: {port}, env: {{SERVE: \"{port}\"}}", argv.join(", "));
        make(Server::start(), &one_step(steps), &[], &format!("services:\n  - {{{service}}}\n"), 0)
    })
}

/// A run with a write policy, whose only request was redirected.
pub(super) fn turned() -> &'static Good {
    static RUN: OnceLock<Good> = OnceLock::new();
    let step = "- {http: \"POST /to?307,/echo?by=qa-try\", followRedirects: 1, expect: {json: {method: POST}}}";
    let plan = format!("mutation: {{policy: scoped-write, prefix: qa-try}}\n{}", one_step(step));
    RUN.get_or_init(|| make(Server::start(), &plan, &[], "", 0))
}

fn one_step(step: &str) -> String {
    let criteria = "criteria: [{id: C-1, needs: api, text: \"The answer is right.\"}]";
    let case = format!("- {{id: A-1, title: a, covers: [C-1], steps: [{}]}}", step.trim_start_matches("- "));
    format!("schemaVersion: 2\nrequirement:\n  title: Answers\n  {criteria}\ncases:\n  {case}\n")
}

fn make(server: Server, plan: &str, only: &[&str], settings: &str, exit: u8) -> Good {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("items.probity.yaml", plan);
    write("tools/count.sh", "echo '1 line'\n");
    let environment = format!(
        "version: 1\ndefault_environment: local\nenvironments:\n  local: {{kind: local, url: \"{}\", data: disposable, \
         identity: {{http: GET /version, json: build}}}}\n",
        server.origin()
    );
    write("probity.yaml", &format!("{environment}{settings}"));
    let sources = plans::find(&[folder.path().join("items.probity.yaml")]).unwrap();
    let project = Project::of(folder.path()).unwrap();
    let (_alive, cancel) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(engine::run(Request {
        project: &project,
        source: &sources[0],
        environment: None,
        only: only.iter().map(|id| (*id).to_owned()).collect(),
        allow: Vec::new(),
        jobs: None,
        challenge: None,
        runs: folder.path().join("probity-runs"),
        cancel,
        shared: &mut Shared::default(),
        progress: &|_| {},
    }));
    drop(server);
    let done = done.unwrap_or_else(|error| panic!("{error:?}"));
    let snapshot = in_memory(&done.dir);
    let list = std::fs::read(done.dir.parent().unwrap().join(RUN_LIST)).unwrap();
    let good = Good { snapshot, dir: done.dir.clone(), list, _folder: folder };
    let verified = verify_snapshot(&good.snapshot, Some(&good.list), None, Vec::new(), None);
    assert_eq!(verified.exit(), exit, "{}", super::drawn(&verified));
    assert!(verified.findings.is_empty(), "{}", super::drawn(&verified));
    good
}

/// A run folder as bytes.
pub(super) fn in_memory(dir: &Path) -> Snapshot {
    let on_disk = Snapshot::of_folder(dir, &Budget::default()).unwrap();
    let mut files: BTreeMap<String, Vec<u8>> =
        on_disk.files().map(|(name, _)| (name.to_owned(), std::fs::read(dir.join(name)).unwrap())).collect();
    files.insert("journal.jsonl".to_owned(), on_disk.journal().to_vec());
    Snapshot::in_memory(files).unwrap()
}
