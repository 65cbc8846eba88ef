use super::*;

fn call(words: &str) -> Vec<Json> {
    words.split('|').map(Json::from).collect()
}

fn facts(path: &str) -> FileFact {
    match path {
        "tools/read.py" | "./check.sh" | "tools/check.sh" => FileFact::Inside,
        _ if path.starts_with('/') || has_way_up(path) => FileFact::Outside,
        _ => FileFact::Missing,
    }
}

#[test]
fn the_shipped_list_reads() {
    assert!(shipped().len() > 60);
    for entry in shipped() {
        for glob in entry.args.iter().chain([&entry.program]) {
            assert!(glob == "**" || GlobBuilder::new(glob).backslash_escape(true).build().is_ok(), "{glob}");
        }
    }
}

#[test]
fn what_only_checks_is_allowed() {
    let cases = [
        ("git|diff|--check", true),
        ("cat|README.md", true),
        ("grep|-c|total|data.json", true),
        ("sed|-n|1,20p|data.json", true),
        ("sed|-n|7p|data.json", true),
        ("awk|{print $1}|data.txt", true),
        ("dd|if=data.bin|bs=16|count=1", true),
        ("dd|if=data/a.bin", true),
        ("ruff|format|--check|src", true),
        ("black|--check|.", true),
        ("prettier|--check|src/a.ts", true),
        ("tsc|--noEmit", true),
        ("eslint|src", true),
        ("bash|-n|tools/check.sh", true),
        ("python3|--version", true),
        ("cargo|fmt|--check", true),
        ("pytest|-q|tests", false),
        ("python3|-m|pytest", false),
        ("npm|test", false),
        ("npm|run|test:unit", false),
        ("make|check", false),
        ("go|test|./...", false),
        ("cargo|clippy|--all-targets", false),
    ];
    for (words, reads) in cases {
        assert_eq!(is_allowed(&call(words), &[], &facts), Allowed::Listed { reads }, "{words}");
    }
}

#[test]
fn everything_else_is_refused() {
    let cases = [
        "rm|-rf|build",
        "curl|http://127.0.0.1",
        "docker|push|x",
        "kubectl|delete|pod",
        "git|push",
        "git|-c|x=y|diff",
        "git|diff|--output=x",
        "git|diff|--output=a/b",
        "jest|--updateSnapshot",
        "ruff|check|--fix",
        "ruff|format|src",
        "black|src",
        "prettier|--write|src",
        "eslint|--fix|src",
        "npm|install",
        "npm|run|deploy",
        "npm|run|test:reset",
        "make|deploy",
        "make|test-release",
        "sed|-i|s/a/b/|x",
        "sed|-n|1e id|x",
        "awk|BEGIN{system(\"id\")}",
        "dd|if=a|of=b",
        "python3|-c|print(1)",
        "node|-e|1",
        "tsc",
        "sort|-o|x|y",
        "cat|/etc/passwd",
        "cat|../outside",
        "env",
        "printenv",
        "biome|check|--write",
        "jest|-u",
        "npx|eslint",
        "go|test|-exec=x",
    ];
    for words in cases {
        let verdict = is_allowed(&call(words), &[], &facts);
        assert!(matches!(verdict, Allowed::Refused(Refusal::NotListed(_))), "{words}: {verdict:?}");
    }
}

#[test]
fn scripts_inside_the_project_are_allowed() {
    for words in ["python3|tools/read.py", "./check.sh|-v", "tools/check.sh", "bash|tools/check.sh|x"] {
        assert_eq!(is_allowed(&call(words), &[], &facts), Allowed::Script, "{words}");
    }
    let refusals = [
        ("python3|tools/gone.py", Refusal::ScriptMissing("tools/gone.py".into())),
        ("/usr/bin/thing", Refusal::ScriptOutside("/usr/bin/thing".into())),
        ("../up.sh", Refusal::ScriptOutside("../up.sh".into())),
        ("python3|../up.py", Refusal::ScriptOutside("../up.py".into())),
        ("sh|-c|id", Refusal::Shell("sh".into())),
        ("/bin/bash|-lc|id", Refusal::Shell("/bin/bash".into())),
    ];
    for (words, refusal) in refusals {
        assert_eq!(is_allowed(&call(words), &[], &facts), Allowed::Refused(refusal), "{words}");
    }
    assert_eq!(is_allowed(&[], &[], &facts), Allowed::Refused(Refusal::NoProgram));
    assert_eq!(is_allowed(&[Json::Null], &[], &facts), Allowed::Refused(Refusal::NoProgram));
}

#[test]
fn the_project_adds_shapes() {
    let rule = |program: &str, args: &[&str]| AllowedCommand {
        program: program.into(),
        args: args.iter().map(|&a| a.to_owned()).collect(),
        reads: true,
    };
    let rules = [rule("python3", &["tools/*.py"]), rule("mytool", &["get", "*"]), rule("other", &["**"])];
    let listed = Allowed::Listed { reads: true };
    assert_eq!(is_allowed(&call("python3|tools/read.py"), &rules, &facts), listed);
    assert_eq!(is_allowed(&call("mytool|get|a/b"), &rules, &facts), listed);
    assert_eq!(is_allowed(&call("other|--any|thing"), &rules, &facts), listed);
    let reference = Json::map([("$var", "id")]);
    assert_eq!(is_allowed(&["mytool".into(), "get".into(), reference.clone()], &rules, &facts), listed);
    for refused in [
        call("mytool|get|--output=x"),
        call("mytool|get"),
        call("mytool|put|x"),
        call("mytool|get|../x"),
        vec!["mytool".into(), reference, "x".into()],
    ] {
        assert!(matches!(is_allowed(&refused, &rules, &facts), Allowed::Refused(Refusal::NotListed(_))), "{refused:?}");
    }
}

#[test]
fn no_entry_reads_secrets() {
    let rules = [AllowedCommand { program: "cat".into(), args: vec!["**".into()], reads: true }];
    for path in [".env", "config/.env.local", "server.key", "a/cert.pem", "secrets.yaml", "app/credentials.json"] {
        let verdict = is_allowed(&["cat".into(), path.into()], &rules, &facts);
        assert_eq!(verdict, Allowed::Refused(Refusal::SecretFile(path.into())), "{path}");
    }
    assert!(matches!(is_allowed(&call("dd|if=server.pem"), &[], &facts), Allowed::Refused(Refusal::SecretFile(_))));
    for fine in ["secret", "environment.md", "tests/test_password.py", "keys.json", ".envrc.md.txt"] {
        assert!(!names_secret_file(fine), "{fine}");
    }
}

proptest::proptest! {
    #[test]
    fn shipped_entries_never_leave_the_project(
        program in "(git|cat|pytest|grep|ruff|eslint|dd|sed)",
        args in proptest::collection::vec("[a-z./=-]{0,8}", 0..4),
        place in 0_usize..5,
        way in "(\\.\\./|/)[a-z]{1,4}",
    ) {
        let mut argv: Vec<Json> = std::iter::once(program).chain(args).map(Json::from).collect();
        argv.insert(place.clamp(1, argv.len()), Json::from(way));
        let refused = matches!(is_allowed(&argv, &[], &facts), Allowed::Refused(_));
        proptest::prop_assert!(refused, "{:?}", argv);
    }

    #[test]
    fn any_call_is_survived(argv in proptest::collection::vec("\\PC{0,20}", 0..5), glob in "\\PC{0,10}") {
        let rule = AllowedCommand { program: argv.first().cloned().unwrap_or_default(), args: vec![glob], reads: true };
        let argv: Vec<Json> = argv.into_iter().map(Json::from).collect();
        let _ = is_allowed(&argv, &[rule], &facts);
    }
}
