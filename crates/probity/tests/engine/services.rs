//! Runs that start services: real processes, and what is left of them.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use crate::lab::{Lab, Ran, bodies, came_to, done, outcome, reasons, steps};
use crate::serve::{argv, free_port};

/// One step that the service answers.
const MUG: &str = "
cases:
  - id: MUG-1
    title: a mug
    covers: [C-1]
    steps:
      - {http: GET /mug, expect: {status: 200, json: {name: mug}}}
";

/// A project whose environment is served by a service of its own.
struct Shop {
    lab: Lab,
    port: u16,
}

impl Shop {
    /// `words` tell the service what to be like, `more` are further fields of it.
    fn new(words: &str, more: &str, cases: &str) -> Self {
        let shop = Self { lab: Lab::new(cases), port: free_port() };
        shop.settings(&argv(), words, more);
        shop
    }

    fn settings(&self, start: &[String], words: &str, more: &str) {
        let port = self.port;
        let start = serde_json::to_string(start).unwrap();
        self.lab.write(
            "probity.yaml",
            &format!(
                "version: 1\ndefault_environment: local\nenvironments:\n  local: {{kind: local, url: \"http://127.0.0.1:{port}\", \
                 data: disposable}}\nservices:\n  - {{id: shop, start: {start}, ready: /health, port: {port}, \
                 env: {{SERVE: \"{port} {words}\"}}{more}}}\n"
            ),
        );
    }

    /// Starts it through a script of the project, which gets its arguments.
    fn through(&self, script: &str, words: &str, more: &str) {
        self.lab.write("start.sh", script);
        let start = ["sh".to_owned(), "start.sh".to_owned()].into_iter().chain(argv()).collect::<Vec<_>>();
        self.settings(&start, words, more);
    }

    fn run(&self, args: &[&str]) -> (Ran, std::path::PathBuf) {
        let ran = self.lab.run(args);
        (ran, self.lab.only())
    }

    fn verify(&self) -> i32 {
        done(&self.lab.command(&["verify"]).output().unwrap()).exit
    }
}

fn down(dir: &Path) -> Value {
    let all = bodies(dir, "service.down");
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

fn ups(dir: &Path) -> Vec<String> {
    bodies(dir, "service.up").iter().map(|up| up["state"].as_str().unwrap().to_owned()).collect()
}

fn pid(dir: &Path) -> Pid {
    let pid = bodies(dir, "service.up")[0]["process"]["pid"].as_i64().unwrap();
    Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

/// Whether a process runs; one that only waits to be reaped does not.
fn runs(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']));
    test_kill_process(pid).is_ok() && state == Some(false)
}

fn view(dir: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(dir.join(name)).unwrap()).unwrap()
}

fn log(dir: &Path) -> String {
    let down = down(dir);
    let sha = down["log"]["sha256"].as_str().unwrap();
    let captured = bodies(dir, "evidence.captured").into_iter().find(|one| one["sha256"] == sha).unwrap();
    match captured["content"]["text"].as_str() {
        Some(text) => text.to_owned(),
        None => {
            let file = captured["content"]["file"].as_str().unwrap();
            std::fs::read_to_string(dir.join("evidence").join(file)).unwrap()
        }
    }
}

#[test]
fn a_service_is_started_asked_and_ended() {
    let shop = Shop::new("late", "", MUG);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(ups(&dir), ["started", "ready"]);
    let (down, up) = (down(&dir), bodies(&dir, "service.up")[1].clone());
    assert_eq!((down["cause"].as_str(), down["status"].as_str()), (Some("end"), Some("stopped")));
    assert_eq!(up["ports"], serde_json::json!([{"port": shop.port, "holder": "service"}]));
    assert!(
        up["read"].as_str().unwrap().ends_with("was answered with 200") && up["tries"].as_u64().unwrap() > 5,
        "{up}"
    );
    assert!(log(&dir).contains(&format!("service on {} begins", shop.port)));
    assert!(!runs(pid(&dir)), "it still runs");
    let verified = done(&shop.lab.command(&["verify"]).output().unwrap());
    assert!(
        verified.exit == 0 && verified.stdout.contains("1 begun, 1 there, 1 shown to have ended"),
        "{}",
        verified.said()
    );
    let summary = view(&dir, "qa-run-summary.json");
    assert_eq!(summary["subject"]["source"], "started");
    let program = argv()[0].rsplit('/').next().unwrap().to_owned();
    assert_eq!(summary["subject"]["programs"][0]["name"], program);
    assert!(ran.stdout.contains("the run started"), "{}", ran.stdout);
    let (preflight, runtime) = (view(&dir, "service-preflight.json"), view(&dir, "service-runtime.json"));
    assert_eq!((&preflight["runnable"], &preflight["required_services"]), (&true.into(), &serde_json::json!(["shop"])));
    assert_eq!(preflight["start_plan"][0]["service"], "shop");
    assert_eq!((&runtime["services"][0]["status"], &runtime["summary"]["ready_count"]), (&"ready".into(), &1.into()));
    let identity = &runtime["services"][0]["process_identity"];
    assert_eq!((&identity["pid"], &identity["pgid"]), (&runtime["services"][0]["pid"], &identity["pid"]));
    assert!(identity["command_sha256"].is_string() && identity["os_started_at"].is_u64(), "{identity}");
    assert_eq!(view(&dir, "service-runtime-stop.json")["summary"]["stopped_count"], 1);
}

#[test]
fn a_run_without_services_has_none_of_their_files() {
    let lab = Lab::new(
        "\ncases: [{id: A-1, title: a, covers: [C-1], steps: [{http: GET /version, expect: {json: {build: exists}}}]}]\n",
    );
    let (ran, dir) = lab.one();
    assert!(!dir.join("service-runtime.json").exists(), "{}", ran.said());
}

#[test]
fn a_port_that_answers_blocks_and_nothing_is_started() {
    let shop = Shop::new("", "", MUG);
    let foreign = Foreign::at(shop.port);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert_eq!(reasons(&dir)[0], "port_occupied");
    assert!(ran.stdout.contains(&format!("port {} answers already", shop.port)), "{}", ran.stdout);
    assert!(bodies(&dir, "service.up").is_empty() && steps(&dir).is_empty());
    assert_eq!((down(&dir)["cause"].as_str(), foreign.asked()), (Some("occupied"), 0));
    assert_eq!(shop.verify(), 3);
    // It is no weakening that can be let through.
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(shop.run(&["--allow", "service_not_ready"]).0.exit, 3);
}

#[test]
fn an_adopted_service_is_used_said_and_left_running() {
    let shop = Shop::new("", ", adopt: true", MUG);
    let foreign = Foreign::at(shop.port);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!((ups(&dir), down(&dir)["status"].as_str()), (vec!["adopted".to_owned()], Some("skipped")));
    assert!(foreign.asked() > 1, "it answered the step");
    let summary = view(&dir, "qa-run-summary.json");
    assert_eq!(summary["subject"]["source"], "declared");
    assert!(summary["conditions"].to_string().contains("ran already and was adopted"), "{}", summary["conditions"]);
    assert_eq!(shop.verify(), 0);
    // Where nothing runs, it is started like any other.
    std::fs::remove_dir_all(&dir).unwrap();
    drop(foreign);
    shop.settings(&argv(), "", ", adopt: true");
    let (ran, dir) = shop.run(&[]);
    assert_eq!((ran.exit, ups(&dir).len()), (0, 2), "{}", ran.said());
}

/// The first step makes the service end; what answers on its port then is another.
const DIES: &str = "
cases:
  - id: MUG-1
    title: a mug
    covers: [C-1]
    steps:
      - {http: GET /die, expect: {status: 200, json: {name: mug}}}
      - {http: GET /mug, expect: {status: 200, json: {name: mug}}}
      - {http: GET /mug, expect: {status: 200, json: {name: mug}}}
    cleanup:
      - {http: DELETE /mug, expect: {status: 200}}
";

#[test]
fn a_service_that_dies_blocks_and_nothing_more_is_sent() {
    let shop = Shop::new("", "", DIES);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(reasons(&dir).contains(&"service_died".to_owned()), "{:?}", reasons(&dir));
    assert!(ran.stdout.contains("exit code 9") && ran.stdout.contains("out of memory"), "{}", ran.stdout);
    let last = steps(&dir).pop().unwrap();
    assert_eq!((last.1.as_str(), last.2.as_str(), last.3), ("skipped", "service_died", false), "{:?}", steps(&dir));
    assert_eq!((down(&dir)["cause"].as_str(), down(&dir)["status"].as_str()), (Some("died"), Some("already_stopped")));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn what_takes_the_port_after_a_death_proves_nothing() {
    let shop = Shop::new("", "", &DIES.replace("json: {name: mug}}}\n      - {http: GET /mug", "json: {name: mug}}}\n      - {run: [sleep, \"1\"], expect: {exit: 0}, covers: []}\n      - {http: GET /mug"));
    shop.lab.write(
        "probity.yaml",
        &format!(
            "{}commands: {{allow: [{{program: sleep, args: [\"*\"]}}]}}\n",
            std::fs::read_to_string(shop.lab.dir.path().join("probity.yaml")).unwrap()
        ),
    );
    let port = shop.port;
    let taker = std::thread::spawn(move || {
        // Only once the service was there and is gone.
        let up = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        let begun = Instant::now();
        while !up() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        loop {
            match TcpListener::bind(("127.0.0.1", port)) {
                Ok(socket) => return Foreign::of(socket),
                Err(_) if begun.elapsed() < Duration::from_secs(20) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => panic!("{error}"),
            }
        }
    });
    let (ran, dir) = shop.run(&[]);
    let _foreign = taker.join().unwrap();
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(reasons(&dir).contains(&"service_died".to_owned()), "{:?}", reasons(&dir));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn what_answers_in_the_place_of_a_service_is_not_the_service() {
    let shop = Shop::new("never", ", timeout: 20s", MUG);
    let child = shop.lab.start_until(&[], "service.up");
    let foreign = Foreign::at(shop.port);
    let ran = done(&child.wait_with_output().unwrap());
    let dir = shop.lab.only();
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert_eq!((reasons(&dir)[0].as_str(), down(&dir)["cause"].as_str()), ("port_occupied", Some("foreign")));
    assert!(foreign.asked() > 0 && steps(&dir).is_empty() && !runs(pid(&dir)), "{:?}", steps(&dir));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn what_is_adopted_has_to_be_ready_too() {
    let shop = Shop::new("", ", adopt: true, timeout: 300ms", MUG);
    // It takes connections and answers nothing.
    let _mute = TcpListener::bind(("127.0.0.1", shop.port)).unwrap();
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert_eq!((reasons(&dir)[0].as_str(), down(&dir)["status"].as_str()), ("service_not_ready", Some("skipped")));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn a_service_that_is_never_ready_is_said_with_its_last_lines() {
    for (words, more, said) in [
        ("never", ", timeout: 1s", "waiting for the store"),
        ("ends", "", r"cannot read \x1b[31mconfig.json"),
        ("sick", ", timeout: 1s", "was answered with 503"),
    ] {
        let shop = Shop::new(words, more, MUG);
        let (ran, dir) = shop.run(&[]);
        assert_eq!(ran.exit, 3, "{words}: {}", ran.said());
        assert_eq!(reasons(&dir)[0], "service_not_ready", "{words}");
        let message = down(&dir)["message"].as_str().unwrap().to_owned();
        assert!(message.contains(said), "{words}: {message}");
        assert!(!runs(pid(&dir)) && steps(&dir).is_empty(), "{words}");
        assert_eq!(shop.verify(), 3, "{words}");
    }
}

#[test]
fn a_service_that_was_let_through_caps_the_claim() {
    let shop = Shop::new("sick", ", timeout: 1s", MUG);
    let (ran, dir) = shop.run(&["--allow", "service_not_ready"]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(ups(&dir), ["started", "unready"]);
    assert!(reasons(&dir).contains(&"capped_service_not_ready".to_owned()), "{:?}", reasons(&dir));
    assert_eq!((steps(&dir)[0].1.as_str(), down(&dir)["status"].as_str()), ("passed", Some("stopped")));
    assert_eq!(shop.verify(), 5);
}

#[test]
fn what_cannot_be_started_blocks() {
    let shop = Shop::new("", "", MUG);
    shop.settings(&["./no-such-program".to_owned()], "", "");
    let (ran, dir) = shop.run(&[]);
    assert_eq!((ran.exit, down(&dir)["cause"].as_str()), (3, Some("not_started")), "{}", ran.said());
    assert!(ran.stdout.contains("no-such-program"), "{}", ran.stdout);
    std::fs::remove_dir_all(&dir).unwrap();
    shop.settings(&argv(), "", ", cwd: nowhere");
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    std::fs::remove_dir_all(&dir).unwrap();
    shop.settings(&argv(), "", ", cwd: \".\"");
    let text = std::fs::read_to_string(shop.lab.dir.path().join("probity.yaml")).unwrap();
    shop.lab.write("probity.yaml", &text.replace("env: {", "env: {T: {env: LAB_NEVER_SET}, "));
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(down(&dir)["message"].as_str().unwrap().contains("LAB_NEVER_SET"), "{}", down(&dir));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn a_service_that_ignores_term_is_killed() {
    let shop = Shop::new("", "", MUG);
    shop.through("trap '' TERM\nexec \"$@\"\n", "", ", grace: 300ms");
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let down = down(&dir);
    assert_eq!(
        (down["status"].as_str(), &down["kill_sent"], &down["signal"]),
        (Some("killed"), &true.into(), &9.into())
    );
    assert!(!runs(pid(&dir)));
    assert_eq!(shop.verify(), 0);
}

#[test]
fn what_a_service_started_is_ended_with_it() {
    for (script, left) in [("sleep 300 &\nexec \"$@\"\n", 0), ("setsid sleep 300 &\nexec \"$@\"\n", 1)] {
        let shop = Shop::new("", "", MUG);
        shop.through(script, "", "");
        let begun = Instant::now();
        let (ran, dir) = shop.run(&[]);
        assert_eq!(ran.exit, 0, "{}", ran.said());
        assert!(begun.elapsed() < Duration::from_secs(30), "it was waited for");
        assert_eq!((&down(&dir)["left_over"], down(&dir)["log"]["complete"].as_bool()), (&left.into(), Some(true)));
        let mark = bodies(&dir, "service.intent")[0]["mark"].as_str().unwrap().to_owned();
        assert_eq!(marked(&mark), 0, "{script}");
    }
}

/// How many processes carry a mark.
fn marked(mark: &str) -> usize {
    let listing = std::fs::read_dir("/proc").unwrap().flatten();
    let environ = listing.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok());
    environ.filter(|bytes| bytes.windows(mark.len()).any(|part| part == mark.as_bytes())).count()
}

#[test]
fn a_flood_is_counted_and_bounded() {
    let shop = Shop::new("flood", "", MUG);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let kept = down(&dir)["log"].clone();
    assert_eq!(kept["bytes"], 4 << 20);
    assert!(kept["total"].as_u64().unwrap() >= 20 << 20 && kept["whole"].is_string(), "{kept}");
    assert_eq!(shop.verify(), 0);
}

#[test]
fn a_secret_of_a_service_is_not_kept() {
    let shop = Shop::new("tells", "", MUG);
    let text = std::fs::read_to_string(shop.lab.dir.path().join("probity.yaml")).unwrap();
    shop.lab.write("probity.yaml", &text.replace("env: {", "env: {TOKEN: {env: LAB_TOKEN}, "));
    let secret = "c0rrect-h0rse-battery";
    let ran = done(&shop.lab.command(&["run"]).env("LAB_TOKEN", secret).output().unwrap());
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let dir = shop.lab.only();
    assert!(log(&dir).contains("the token is secret.LAB_TOKEN."), "{}", log(&dir));
    let held = |path: &Path| std::fs::read(path).unwrap().windows(secret.len()).any(|part| part == secret.as_bytes());
    let files = std::fs::read_dir(&dir).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    assert_eq!(files.filter(|path| held(path)).count(), 0);
    assert_eq!(shop.verify(), 0);
}

#[test]
fn services_start_after_those_that_they_need() {
    let shop = Shop::new("", ", needs: store", MUG);
    let store = free_port();
    let text = std::fs::read_to_string(shop.lab.dir.path().join("probity.yaml")).unwrap();
    let start = serde_json::to_string(&argv()).unwrap();
    shop.lab.write(
        "probity.yaml",
        &format!("{text}  - {{id: store, start: {start}, port: {store}, env: {{SERVE: \"{store}\"}}}}\n  - {{id: idle, start: [no-such-program]}}\n"),
    );
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let of = |kind: &str| -> Vec<String> {
        bodies(&dir, kind).iter().map(|body| body["service"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (of("service.intent"), of("service.down")),
        (vec!["store".into(), "shop".into()], vec!["shop".into(), "store".into()])
    );
    assert_eq!(shop.verify(), 0);
}

/// A case that takes its time.
const SLOW: &str = "
cases:
  - id: MUG-1
    title: a mug
    covers: [C-1]
    steps:
      - {http: GET /mug, expect: {status: 200, json: {name: mug}}}
      - {http: GET /slow, expect: {status: 200, json: {name: mug}}}
";

#[test]
fn an_interrupt_ends_the_service() {
    let shop = Shop::new("", "", SLOW);
    let child = shop.lab.start_until(&[], "/slow");
    let dir = shop.lab.only();
    let service = pid(&dir);
    assert!(runs(service));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = done(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, 130, "{}", ran.said());
    assert!(!runs(service) && down(&dir)["cause"] == "end");
    assert_eq!(outcome(&dir), "inconclusive");
    assert_eq!(shop.verify(), 5);
}

#[test]
fn an_interrupt_while_a_service_starts_ends_it() {
    let shop = Shop::new("never", "", MUG);
    let child = shop.lab.start_until(&[], "service.up");
    let dir = shop.lab.only();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let begun = Instant::now();
    let ran = done(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, 130, "{}", ran.said());
    assert!(begun.elapsed() < Duration::from_secs(20), "its whole time was waited for");
    assert!(!runs(pid(&dir)) && down(&dir)["message"].as_str().unwrap().contains("cancelled"), "{}", down(&dir));
    assert_eq!(shop.verify(), 3);
}

#[test]
fn a_second_interrupt_leaves_no_service_behind() {
    let shop = Shop::new("", "", MUG);
    shop.through("trap '' TERM\nexec \"$@\"\n", "", ", grace: 60s");
    shop.lab.plan("lab", SLOW);
    let mut child = shop.lab.start_until(&[], "/slow");
    let service = pid(&shop.lab.only());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    // The service is being waited for now.
    std::thread::sleep(Duration::from_millis(500));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    shop.lab.wait(|| !runs(service));
}

#[test]
fn a_killed_run_is_taken_up_and_its_service_is_ended() {
    let shop = Shop::new("", "", SLOW);
    let mut child = shop.lab.start_until(&[], "/slow");
    let dir = shop.lab.only();
    let service = pid(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(runs(service), "nothing ends it when probity is killed outright");
    let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
    let ran = shop.lab.run(&["--resume", &name]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    shop.lab.wait(|| !runs(service));
    let down = down(&dir);
    assert_eq!((down["cause"].as_str(), down["status"].as_str()), (Some("resumed"), Some("stopped")), "{down}");
    assert!(reasons(&dir).contains(&"attempt_lost".to_owned()));
    assert_eq!(shop.verify(), 5);
}

#[test]
fn a_killed_start_is_taken_up_too() {
    let shop = Shop::new("never", "", MUG);
    let mut child = shop.lab.start_until(&[], "service.up");
    let dir = shop.lab.only();
    let service = pid(&dir);
    // It has said what it has to say: a write into a pipe that nobody reads would end it.
    std::thread::sleep(Duration::from_secs(1));
    child.kill().unwrap();
    child.wait().unwrap();
    let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
    let ran = shop.lab.run(&["--resume", &name]);
    assert_ne!(ran.exit, 0, "{}", ran.said());
    shop.lab.wait(|| !runs(service));
    assert_eq!(down(&dir)["status"], "stopped");
    assert!(came_to(&dir, "run.closed") && shop.verify() != 6, "{}", ran.said());
}

#[test]
fn a_folder_from_elsewhere_has_nothing_ended() {
    let shop = Shop::new("", "", SLOW);
    let mut child = shop.lab.start_until(&[], "/slow");
    let dir = shop.lab.only();
    let service = pid(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    let elsewhere = shop.lab.dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let copy = elsewhere.join(dir.file_name().unwrap());
    std::fs::rename(&dir, &copy).unwrap();
    let ran = shop.lab.run(&["--resume", copy.to_str().unwrap()]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert!(runs(service), "a folder that this list does not know ended it");
    assert_eq!(down(&copy)["status"], "blocked_by_safety");
    assert!(reasons(&copy).contains(&"service_left_running".to_owned()), "{:?}", reasons(&copy));
    kill_process(service, Signal::KILL).unwrap();
}

#[test]
fn plan_only_shows_the_start_and_starts_nothing() {
    let shop = Shop::new("", "", MUG);
    let ran = shop.lab.run(&["--plan-only"]);
    assert_eq!(ran.exit, 4, "{}", ran.said());
    assert!(ran.stdout.contains("start") && ran.stdout.contains("/health, at most 45 s"), "{}", ran.stdout);
    assert!(std::net::TcpStream::connect(("127.0.0.1", shop.port)).is_err() && shop.lab.runs().is_empty());
    let _foreign = Foreign::at(shop.port);
    let ran = shop.lab.run(&["--plan-only", "--format", "json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let service = &answer["plans"][0]["services"][0];
    assert_eq!(
        (ran.exit, &service["code"], &service["would_start"]),
        (3, &"port_occupied".into(), &false.into()),
        "{answer}"
    );
}

/// A case that looks into the log.
fn looking(looks: &str) -> String {
    format!(
        "
cases:
  - id: MUG-1
    title: a mug
    covers: []
    steps:
      - {{http: GET /say/before, expect: {{status: 200, json: {{name: mug}}}}}}
  - id: MUG-2
    title: another
    covers: [C-1]
    steps:
      - {{http: GET /say/hello, expect: {{status: 200, json: {{name: mug}}}}}}
{looks}
"
    )
}

#[test]
fn a_log_is_read_from_where_the_case_began() {
    let shop = Shop::new(
        "",
        "",
        &looking(
            "      - {log: shop, poll: {every: 50ms, for: 5s}, expect: {text: heard hello, notText: [before, begins]}}",
        ),
    );
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let seen = bodies(&dir, "action.commit").pop().unwrap()["observation"].clone();
    assert_eq!((seen["kind"].as_str(), &seen["complete"]), (Some("log"), &true.into()));
    assert!(seen["from"].as_u64().unwrap() > 0 && seen["to"].as_u64() > seen["from"].as_u64(), "{seen}");
    assert_eq!(shop.verify(), 0);
    let shown = done(&shop.lab.command(&["show", "MUG-2.2"]).output().unwrap());
    assert!(shown.stdout.contains("into the log of shop") && shown.stdout.contains("heard hello"), "{}", shown.stdout);
}

#[test]
fn a_log_that_lacks_or_holds_what_it_must_not_fails_its_test() {
    for (look, exit) in [
        ("{log: shop, expect: {text: never written}}", 1),
        ("{log: shop, poll: {every: 50ms, for: 300ms}, expect: {text: never written}}", 1),
        (
            "{log: shop, poll: {every: 50ms, for: 5s}, expect: {text: hello}}\n      - {log: shop, expect: {notText: hello}}",
            1,
        ),
        (
            "{log: shop, poll: {every: 50ms, for: 5s}, expect: {text: hello}}\n      - {log: shop, expect: {notText: ERROR}, shows: absence}",
            0,
        ),
    ] {
        let shop = Shop::new("", "", &looking(&format!("      - {look}")));
        let (ran, dir) = shop.run(&[]);
        assert_eq!(ran.exit, exit, "{look}: {}", ran.said());
        assert_eq!(shop.verify(), exit, "{look}: {:?}", steps(&dir));
    }
}

#[test]
fn a_log_that_was_not_kept_whole_shows_no_absence() {
    let shop = Shop::new("flood", "", &looking("      - {log: shop, expect: {notText: ERROR}}"));
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(steps(&dir).pop().unwrap().2, "check_not_evaluated");
    assert_eq!(shop.verify(), 5);
}

#[test]
fn a_service_that_was_adopted_has_no_log() {
    let shop = Shop::new("", ", adopt: true", &looking("      - {log: shop, expect: {text: hello}}"));
    let _foreign = Foreign::at(shop.port);
    let (ran, dir) = shop.run(&[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert_eq!(steps(&dir).pop().unwrap().2, "log_unavailable");
    assert_eq!(shop.verify(), 3);
}

/// Something else that answers on a port, rightly.
struct Foreign {
    port: u16,
    asked: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Foreign {
    fn at(port: u16) -> Self {
        Self::of(TcpListener::bind(("127.0.0.1", port)).unwrap())
    }

    fn of(socket: TcpListener) -> Self {
        use std::sync::atomic::Ordering::SeqCst;
        let port = socket.local_addr().unwrap().port();
        let (asked, stop) = (std::sync::Arc::default(), std::sync::Arc::default());
        let (count, ended): (std::sync::Arc<std::sync::atomic::AtomicUsize>, _) =
            (std::sync::Arc::clone(&asked), std::sync::Arc::<std::sync::atomic::AtomicBool>::clone(&stop));
        let thread = std::thread::spawn(move || {
            for mut stream in socket.incoming().flatten() {
                if ended.load(SeqCst) {
                    return;
                }
                let mut head = [0; 4096];
                // A bare connection says nothing.
                if stream.read(&mut head).is_ok_and(|n| n > 0) {
                    count.fetch_add(1, SeqCst);
                    let body = r#"{"name":"mug"}"#;
                    let head =
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 14";
                    let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
                }
            }
        });
        Self { port, asked, stop, thread: Some(thread) }
    }

    fn asked(&self) -> usize {
        self.asked.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::SeqCst);
        let _ = std::net::TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

#[test]
fn a_case_that_looks_into_a_log_is_alone() {
    let case = |id: &str, steps: &str| format!("  - {{id: {id}, title: of {id}, covers: [C-1], steps: [{steps}]}}\n");
    let get = |text: &str| format!("{{http: GET /say/{text}, expect: {{status: 200, json: {{name: mug}}}}}}");
    // What the others make the service write would break each look, and hold up the first check of the other.
    let look = |own: &str, other: &str| {
        let log = format!(
            "{{log: shop, poll: {{every: 50ms, for: 20s}}, expect: {{text: heard {own}, notText: [heard {other}, heard any]}}}}"
        );
        format!("{}, {log}", get(own))
    };
    let mut cases = "\ncases:\n".to_owned();
    for n in 1..4 {
        cases.push_str(&case(&format!("ANY-{n}"), &[get("any"), get("any"), get("any")].join(", ")));
    }
    cases.push_str(&case("LOOK-1", &look("one", "two")));
    cases.push_str(&case("ANY-9", &[get("any"), get("any")].join(", ")));
    cases.push_str(&case("LOOK-2", &look("two", "one")));
    let shop = Shop::new("", "", &cases);
    let (ran, dir) = shop.run(&["--jobs", "4"]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let spans = crate::jobs::spans(&dir);
    for looks in ["LOOK-1", "LOOK-2"] {
        let own = spans.iter().filter(|(step, ..)| step.starts_with(looks));
        let (from, to) = own.fold((usize::MAX, 0), |(from, to), (_, f, t)| (from.min(*f), to.max(*t)));
        let beside = spans.iter().filter(|(step, f, t)| !step.starts_with(looks) && *f < to && *t > from);
        assert_eq!(beside.count(), 0, "{looks}: {spans:?}");
    }
    assert_eq!(shop.verify(), 0);
}

#[test]
fn a_service_that_dies_is_written_down_beside_what_is_under_way() {
    // Two cases are at something until the death is written down, which the steps of the third notice.
    let pauses = ["{run: [sleep, \"0.1\"], expect: {exit: 0}, covers: []}"; 40].join(", ");
    let long = "{run: [sh, tools/long.sh], expect: {exit: 0, text: told}}";
    let mug = "{http: GET /mug, covers: [], expect: {status: 200, json: {name: mug}}}";
    let cases = format!(
        "
cases:
  - {{id: DIES-1, title: ends it, covers: [C-1], steps: [{{http: GET /die, expect: {{status: 200, json: {{name: mug}}}}}}, {pauses}]}}
  - {{id: LONG-1, title: is at something, covers: [C-3], steps: [{long}, {mug}]}}
  - {{id: LONG-2, title: is at something too, covers: [C-3], steps: [{long}]}}
"
    );
    let shop = Shop::new("", "", &cases);
    let waits = "n=0; until [ -e noticed ]; do n=$((n+1)); [ $n -gt 200 ] && exit 1; sleep 0.1; done; echo told\n";
    shop.lab.write("tools/long.sh", waits);
    let settings = std::fs::read_to_string(shop.lab.dir.path().join("probity.yaml")).unwrap();
    shop.lab.write("probity.yaml", &format!("{settings}commands: {{allow: [{{program: sleep, args: [\"*\"]}}]}}\n"));
    let root = shop.lab.dir.path();
    let written = || {
        let runs = std::fs::read_dir(root.join("probity-runs")).into_iter().flatten().flatten();
        runs.filter_map(|run| std::fs::read_to_string(run.path().join("journal.jsonl")).ok())
            .any(|journal| journal.contains(r#""kind":"service.down""#))
    };
    let (ran, dir) = std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..200 {
                if written() {
                    return std::fs::write(root.join("noticed"), "").unwrap();
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        shop.run(&["--jobs", "3"])
    });
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert_eq!(down(&dir)["cause"], "died");
    let of = |step: &str| steps(&dir).into_iter().find(|found| found.0 == step).unwrap();
    assert_eq!((of("LONG-1.1").1.as_str(), of("LONG-2.1").1.as_str()), ("passed", "passed"));
    let noticed = steps(&dir).into_iter().find(|step| step.0.starts_with("DIES-1") && step.1 == "skipped").unwrap();
    assert_eq!((of("LONG-1.2").2.as_str(), noticed.2.as_str()), ("service_died", "service_died"));
    assert_eq!(shop.verify(), 3);
}
