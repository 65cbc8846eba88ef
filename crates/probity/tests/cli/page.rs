//! docs/output.md, docs/policies.md, docs/flaky.md, docs/qa.md and docs/judges.md show every block as the program writes it.
//!
//! A block stands below a line `<!-- block: NAME -->`; in the walks the line holds the command as well, and
//! `<!-- file: NAME -->` stands above what a file holds. `PROBITY_WRITE_DOCS=1 cargo test -p probity --test cli page`
//! writes the blocks again.

use std::path::{Path, PathBuf};

use crate::place::{PASSES, Place, fails};
use crate::qa;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// The pages with the blocks of each.
fn pages() -> [(&'static str, Vec<(&'static str, String)>); 5] {
    let judges = Place::without_service();
    crate::judges::pictures::hang(&judges);
    [
        ("output.md", blocks()),
        ("policies.md", walk("policies.md", &Place::without_service())),
        ("flaky.md", walk("flaky.md", &Place::without_service())),
        ("qa.md", walk("qa.md", &Place::without_service())),
        ("judges.md", walk("judges.md", &judges)),
    ]
}

/// A walk: each block from the files and the commands that the page shows before it.
fn walk(name: &str, place: &Place) -> Vec<(&'static str, String)> {
    let text = std::fs::read_to_string(page(name)).unwrap();
    let mut blocks = Vec::new();
    for part in text.split("<!-- ").skip(1) {
        let Some((mark, rest)) = part.split_once(" -->\n") else { continue };
        let content = rest.split_once("\n").and_then(|(_, rest)| rest.split_once("```\n")).map_or("", |(text, _)| text);
        if let Some(file) = mark.strip_prefix("file: ") {
            place.write(file, content);
        } else if let Some((name, words)) = mark.strip_prefix("block: ").and_then(|mark| mark.split_once(" = ")) {
            let name: &'static str = Box::leak(format!("{name} = {words}").into_boxed_str());
            // The day until which something is waived is ahead, whenever the page is tried.
            let words = shlex::split(&words.replace("2026-12-24", &qa::soon())).unwrap();
            blocks.push((name, qa::calm(&place.probity_words(words, &[]).out())));
        }
    }
    blocks
}

/// The blocks by name, as the program writes them now.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut add = |name, ran: &crate::place::Ran| blocks.push((name, ran.out()));

    let good = Place::with_service().plan(PASSES);
    add("run-passed", &good.probity("run"));
    add("verify-intact", &good.probity("verify"));
    add("verify-demands", &good.probity("verify --plan order.probity.yaml --subject 2026.11"));
    add("show-step", &good.probity("show e2"));
    add("plan-check-ok", &good.probity("plan check"));

    std::fs::write(good.run_folder().join("report.md"), "# edited\n").unwrap();
    add("verify-stale", &good.probity("verify"));
    let journal = good.run_folder().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("29.96", "29.97", 1)).unwrap();
    add("verify-broken", &good.probity("verify"));

    let cut = Place::with_service().plan(PASSES);
    cut.probity("run");
    cut_before_close(&cut);
    add("verify-open", &cut.probity("verify"));

    let planned = Place::with_service().plan(PASSES);
    add("run-plan-only", &planned.probity("run --plan-only"));

    let bad = Place::with_service().plan(&fails());
    add("run-failed", &bad.probity("run"));
    add("show-criterion", &bad.probity("show ORDER-2"));

    let away = Place::without_service().plan(PASSES);
    add("run-blocked", &away.probity("run"));

    let taken = Place::with_service();
    let port = taken.port();
    let taken = taken.with_script(port, "exec sleep 60\n").plan(PASSES);
    add("run-port-occupied", &taken.probity("run"));
    let slow = Place::without_service();
    let port = slow.port();
    let slow = slow.with_script(port, "echo 'waiting for the store'\nexec sleep 60\n").plan(PASSES);
    add("run-service-not-ready", &slow.probity("run"));
    add("run-plan-only-service", &slow.probity("run --plan-only"));

    let undeclared = Place::undeclared();
    let plan =
        PASSES.replace("environment: local\n", "").replace(" /items", &format!(" {}/items", undeclared.origin()));
    let undeclared = undeclared.plan(&plan);
    add("run-inconclusive", &undeclared.probity("run"));
    add("why", &undeclared.probity("why"));

    let empty = Place::with_service().plan(&PASSES.replace(", total: 29.96}}", ", total: {gte: 0}}, text: \"\"}"));
    add("plan-check-errors", &empty.probity("plan check"));
    add("explain", &empty.probity("explain environment_unconfirmed"));
    blocks
}

/// Takes away the last entry, and the run list, as a process that died would have left them.
fn cut_before_close(place: &Place) {
    let journal = place.run_folder().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&journal, lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    std::fs::remove_file(place.path().join("probity-runs/index.jsonl")).unwrap();
}

#[test]
fn the_page_shows_what_the_program_writes() {
    let write = std::env::var_os("PROBITY_WRITE_DOCS").is_some();
    for (file, blocks) in pages() {
        let mut text = std::fs::read_to_string(page(file)).unwrap();
        assert!(blocks.len() >= if file == "flaky.md" { 1 } else { 6 }, "{file}");
        for (name, block) in blocks {
            let mark = format!("<!-- block: {name} -->\n```text\n");
            let from = text.find(&mark).unwrap_or_else(|| panic!("docs/{file} has no block {name}")) + mark.len();
            let to = from + text[from..].find("```\n").unwrap();
            if write {
                text.replace_range(from..to, &block);
            } else {
                assert_eq!(text[from..to], block, "{name}");
            }
        }
        if write {
            std::fs::write(page(file), text).unwrap();
        }
    }
}

#[test]
fn every_line_fits_a_hundred_columns_or_is_there_to_be_pasted() {
    for (name, block) in pages().into_iter().flat_map(|(_, blocks)| blocks) {
        for line in block.lines() {
            let pasted = line.trim_start().starts_with("curl ") || line.starts_with("run ") || line.starts_with("{");
            assert!(pasted || line.chars().count() <= 100, "{name}: {line}");
            assert!(line.is_ascii(), "{name}: {line}");
        }
    }
}
