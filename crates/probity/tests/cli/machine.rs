//! `settings`, `doctor`, completions, manual pages, and a sandbox that allows no connection.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::place::{PASSES, Place};

fn setting<'a>(answer: &'a Value, name: &str) -> (&'a str, &'a str) {
    let rows = answer["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name).unwrap();
    (row["value"].as_str().unwrap(), row["from"].as_str().unwrap())
}

#[test]
fn each_setting_says_where_it_comes_from() {
    let place = Place::with_service();
    let plain = place.probity("settings --format json");
    assert_eq!(plain.code, 0, "{plain}");
    let answer = plain.json();
    assert_eq!(setting(&answer, "format"), ("json", "flag --format"));
    assert_eq!(setting(&answer, "environment"), ("local", "probity.yaml; a plan may name another"));
    assert_eq!(setting(&answer, "limits.probes"), ("500, or 2 a step", "default"));
    assert_eq!(answer["without_effect"], json!([]));

    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    place.write("probity.yaml", &format!("{settings}limits: {{probes: 7}}\n"));
    let variables = [("PROBITY_ENV", "staging"), ("PROBITY_OUT", "elsewhere"), ("PROBITY_FORMAT", "json")];
    let answer = place.probity_with("settings --env qa", &variables).json();
    assert_eq!(setting(&answer, "environment"), ("qa", "flag --env"));
    assert_eq!(setting(&answer, "out"), ("elsewhere", "variable PROBITY_OUT"));
    assert_eq!(setting(&answer, "format"), ("json", "variable PROBITY_FORMAT"));
    assert_eq!(setting(&answer, "limits.probes"), ("7", "probity.yaml"));
}

#[test]
fn what_is_trusted_is_no_setting() {
    let place = Place::with_service();
    let tried = [
        ("PROBITY_ALLOWED_SIGNERS", "hunter2-signers"),
        ("PROBITY_REQUIRE_SIGNATURE", "hunter2"),
        ("PROBITY_SUBJECT", "hunter2"),
        ("PROBITY_ALOWED_SIGNERS", "hunter2"),
    ];
    let ran = place.probity_with("settings", &tried);
    assert_eq!(ran.code, 0, "{ran}");
    for (name, _) in &tried[..3] {
        let named =
            |line: &str| line.starts_with("REFUSED") && line.contains("trust_from_environment") && line.contains(name);
        assert!(ran.stdout.lines().any(named), "{name}: {ran}");
    }
    assert!(
        ran.stdout.lines().any(|line| line.starts_with("UNKNOWN") && line.contains("PROBITY_ALOWED_SIGNERS")),
        "{ran}"
    );
    assert!(!ran.stdout.contains("hunter2"), "no value is shown: {ran}");
    let answer = place.probity_with("settings --format json", &tried).json();
    let codes: Vec<&Value> = answer["without_effect"].as_array().unwrap().iter().map(|row| &row["code"]).collect();
    assert_eq!(
        codes,
        ["trust_from_environment", "null", "trust_from_environment", "trust_from_environment"]
            .map(|c| if c == "null" { Value::Null } else { json!(c) })
            .iter()
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_doctor_says_what_is_missing_and_ends_well() {
    let place = Place::with_service();
    let ran = place.probity("doctor --format json");
    assert_eq!(ran.code, 0, "{ran}");
    let answer = ran.json();
    let look = |answer: &Value, name: &str| {
        answer["looks"].as_array().unwrap().iter().find(|look| look["name"] == name).unwrap().clone()
    };
    assert_eq!((&look(&answer, "sockets")["ok"], &look(&answer, "clock")["ok"]), (&json!(true), &json!(true)));
    // Without a search path neither git nor a browser is found.
    let bare = place.probity_with("doctor", &[("PATH", "/nonexistent")]);
    assert_eq!(bare.code, 0, "{bare}");
    for name in ["git", "browser"] {
        let line = bare.stdout.lines().find(|line| line.split_whitespace().nth(1) == Some(name)).unwrap();
        assert!(line.starts_with("WARN  ") && line.contains("; install "), "{line}");
    }
    std::fs::write(place.path().join("file"), "").unwrap();
    let full = place.probity("doctor --out /proc/none/runs --format json").json();
    assert_eq!(look(&full, "runs")["ok"], false, "{full}");
    assert!(!place.path().join("probity-runs").exists(), "nothing is written");
}

#[test]
fn completions_and_pages_know_every_command() {
    let place = Place::undeclared();
    let help = place.probity("--help").stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.contains(&"settings") && commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let text = place.probity(&format!("completions {shell}")).stdout;
        for word in commands.iter().filter(|word| **word != "help").chain(&["--plan-only", "--repeat"]) {
            let word = if shell == "fish" { word.trim_start_matches("--") } else { word };
            assert!(text.contains(word), "{shell} does not know {word}");
        }
        // A shell that is here must be able to read them.
        let name = format!("completions.{shell}");
        place.write(&name, &text);
        let read = Command::new(shell).arg("-n").arg(&name).current_dir(place.path()).stdout(Stdio::null()).output();
        if let Ok(read) = read {
            assert!(read.status.success(), "{shell}: {}", String::from_utf8_lossy(&read.stderr));
        }
    }
    assert_eq!(place.probity("man --out man").code, 0);
    let page = std::fs::read_to_string(place.path().join("man/probity-run.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("plan\\-only"), "{page}");
}

/// A kernel that keeps this process from connecting, as sandboxes do: Landlock, whose denial is EACCES.
#[test]
fn a_sandbox_without_network_blocks_and_is_named() {
    use landlock::{Access, AccessNet, Ruleset, RulesetAttr as _, RulesetStatus};
    let place = Place::with_service().plan(PASSES);
    let ran = std::thread::scope(|scope| {
        let confined = scope.spawn(|| {
            // The restriction is this thread's and that of the children that it starts.
            let access = AccessNet::from_all(landlock::ABI::V4);
            let ruleset = Ruleset::default().handle_access(access).and_then(Ruleset::create);
            let status = ruleset.and_then(landlock::RulesetCreated::restrict_self).unwrap();
            (status.ruleset == RulesetStatus::FullyEnforced)
                .then(|| place.probity_with("run --format json", &[("CODEX_SANDBOX_NETWORK_DISABLED", "1")]))
        });
        confined.join().unwrap()
    });
    let Some(ran) = ran else {
        let words = "this kernel cannot keep a process from connecting (Landlock, Linux 6.7): nothing was tested";
        let _ = writeln!(std::io::stderr(), "{words}");
        return;
    };
    assert_eq!(ran.code, 3, "{ran}");
    assert_eq!(ran.stderr, "", "an agent sees the answer alone");
    let answer = ran.json();
    assert_eq!(answer["status"], "blocked");
    assert_eq!(answer["findings"][0]["code"], "network_denied");
    let message = answer["findings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("permission denied") && message.contains("CODEX_SANDBOX_NETWORK_DISABLED is set"),
        "{message}"
    );
    assert_eq!((&answer["next"][0]["do"], &answer["next"][0]["who"]), (&json!("ask"), &json!("person")));
    assert!(answer["must_not_say"].as_array().unwrap().iter().any(|text| text.as_str().unwrap().contains("product")));
    assert!(place.server.as_ref().unwrap().hits().is_empty());
}
