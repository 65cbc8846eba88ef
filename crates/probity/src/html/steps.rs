//! The timeline: every step with what was sent, what came back, and what was checked in it.

use std::sync::Arc;

use probity_core::evaluate::CheckResult;
use probity_core::expect::Channel;
use probity_core::ids::Digest;
use probity_core::invoke::Call;
use probity_core::journal::body::Content;
use probity_core::journal::observation::Observation;
use probity_core::judged::{Judged, drawn_action, place_of};
use probity_core::observe::Phases;
use probity_core::step::{Evidence as _, reads_body};
use probity_core::verdict::Status;

use super::body::{WHOLE, body, state as state_of};
use super::criteria::WINDOW;
use super::write::{A, Html, Room};
use super::{Page, copyable, evidence_link};
use crate::answer::finding::{expected, handle, origin, provenance_word};
use crate::answer::show::{captured, checks_on, curl_of, sent_headers, step_status, step_word};
use crate::screen::show::{replaced, time};
use crate::screen::verify::bytes as size;

/// Bytes of all rows, and of all details.
const ROWS: usize = 1_200_000;
const DETAILS: usize = 900_000;
/// Cases of a run of more than so many stand without a heading each.
const HEADINGS: usize = 500;
/// As many checks of one step are shown.
const CHECKS: usize = 200;

/// The section.
pub(super) fn timeline(page: &Page<'_>, html: &mut Html) {
    let steps = page.judged.audited().steps();
    let details = details(page);
    let left_out = details.iter().filter(|detail| detail.is_none()).count();
    let longest = steps.iter().filter_map(|step| Some(step.observation.as_ref()?.total_us())).max().unwrap_or(0);
    html.el("section", &[A::Id("_timeline")], |html| {
        html.say("h2", "", &format!("Timeline ({} steps)", steps.len()));
        let cases = page.judged.audited().checked().plan().scenarios.len();
        let (mut room, mut case, mut shown) = (Room(ROWS), None, 0);
        let positions: Vec<usize> = (0..steps.len()).collect();
        for window in positions.chunks(WINDOW) {
            let before = shown;
            html.el("div", &[A::Class("window")], |html| {
                for position in window.iter().copied() {
                    if case != Some(steps[position].scenario) && cases <= HEADINGS {
                        let (scenario, _) = page.judged.step(position);
                        html.el("h3", &[], |html| {
                            html.text(scenario.id.as_str());
                            html.text(" ");
                            html.say("small", "", &scenario.title);
                        });
                    }
                    case = Some(steps[position].scenario);
                    let mut line = Html::default();
                    summary(page.judged, &mut line, position, longest);
                    let Some(left) = room.0.checked_sub(line.len() + 60) else { break };
                    room = Room(left);
                    row(page.judged, html, position, &line, details[position].as_ref());
                    shown += 1;
                }
            });
            if shown < before + window.len() {
                break;
            }
        }
        if shown < steps.len() {
            let all = "all in evidence-ledger.json of the run";
            html.say("p", "none", &format!("{} more steps, {all}", steps.len() - shown));
        }
        if left_out > 0 {
            let show = page.site.command("show", "eN");
            html.say("p", "none", &format!("What {left_out} steps sent and got is left out here: {show}"));
        }
    });
}

/// What stands below the rows: of steps that did not pass first, as far as there is room.
fn details(page: &Page<'_>) -> Vec<Option<Html>> {
    let count = page.judged.audited().steps().len();
    let largest = (DETAILS / 3 / count.max(1)).clamp(512, WHOLE);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|position| step_status(page.judged, *position) == Status::Passed);
    let mut details: Vec<Option<Html>> = (0..count).map(|_| None).collect();
    let mut left = DETAILS;
    for position in order {
        let mut detail = Html::default();
        self::detail(page, &mut detail, position, largest);
        let Some(rest) = left.checked_sub(detail.len()) else { break };
        left = rest;
        details[position] = Some(detail);
    }
    details
}

fn row(judged: &Judged, html: &mut Html, position: usize, line: &Html, detail: Option<&Html>) {
    let handle = handle(position);
    let attributes = [A::Class("row"), A::State(state(judged, position)), A::Id(&handle)];
    match detail {
        None => html.el("p", &attributes, |html| html.append(line)),
        Some(detail) => html.el("details", &attributes, |html| {
            html.el("summary", &[], |html| html.append(line));
            html.append(detail);
        }),
    }
}

fn summary(judged: &Judged, html: &mut Html, position: usize, longest: u64) {
    let (_, planned) = judged.step(position);
    html.say("b", "", &step_word(judged, position));
    html.el("i", &[], |html| {
        evidence_link(html, position);
        html.text(" ");
        html.text(planned.id.as_str());
    });
    html.say("code", "", &drawn_action(planned));
    html.say("u", "", &result(judged, position));
    let us = judged.audited().steps()[position].observation.as_deref().map_or(0, Observation::total_us);
    if let Some(tenths) = (us * 10).checked_div(longest).filter(|_| us > 0) {
        const WIDTHS: [&str; 11] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10"];
        html.say("s", WIDTHS[usize::try_from(tenths).unwrap_or(10).min(10)], "");
    }
}

/// The state of a step, for its colour.
pub(super) fn state(judged: &Judged, position: usize) -> Status {
    step_status(judged, position)
}

/// What came back, in a few words: `201, 11 ms`.
pub(super) fn result(judged: &Judged, position: usize) -> String {
    match judged.audited().steps()[position].observation.as_deref() {
        Some(Observation::Http(http)) => {
            let status = http.hops.last().map_or_else(|| "no answer".to_owned(), |last| last.hop.status.to_string());
            let tries = if http.tries.len() > 1 { format!(", {} tries", http.tries.len()) } else { String::new() };
            format!("{status}, {}{tries}", time(http.total_us))
        }
        Some(Observation::Command(command)) => {
            let exit = command.result.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit {code}"));
            format!("{exit}, {}", time(command.result.total_us))
        }
        Some(Observation::Log(log)) => {
            let tries = if log.tries > 1 { format!(", {} tries", log.tries) } else { String::new() };
            format!("{}{tries}", crate::screen::verify::bytes(log.to.saturating_sub(log.from)))
        }
        None => "did not run".to_owned(),
    }
}

fn detail(page: &Page<'_>, html: &mut Html, position: usize, largest: usize) {
    let judged = page.judged;
    let step = &judged.audited().steps()[position];
    let (_, planned) = judged.step(position);
    if let Some(reason) = &step.judgement.reason {
        html.el("p", &[A::Class("line")], |html| {
            html.say("b", "code", reason.code.as_str());
            html.text(" ");
            html.text(&reason.message);
        });
    }
    if let Some(at) = place_of(planned) {
        html.el("p", &[A::Class("none")], |html| {
            html.say("code", "", &format!("{}:{}", judged.audited().checked().file(), at.line));
        });
    }
    exchange(page, html, position, largest, true);
    checks(judged, html, position);
    for obliged in &step.obliged {
        let status = if obliged.met { Status::Passed } else { Status::Inconclusive };
        html.el("p", &[A::Class("line"), A::State(status)], |html| {
            html.say("b", "", if obliged.met { "shown" } else { "NOT SHOWN" });
            html.text(&format!(" {}: {}", obliged.kind.as_str(), obliged.why));
        });
    }
    evidence(judged, html, position);
    if let Some(line) = curl_of(step) {
        copyable(html, "curl", &line);
    }
}

/// What was sent and what came back. `whole` brings header lines, hops and timings.
pub(super) fn exchange(page: &Page<'_>, html: &mut Html, position: usize, largest: usize, whole: bool) {
    let step = &page.judged.audited().steps()[position];
    html.el("div", &[A::Class("exchange")], |html| {
        match &step.call {
            Some(Call::Http(call)) => part(html, "sent", |html| {
                html.say("code", "url", &format!("{} {}", call.method, call.url));
                if whole {
                    headers(html, &sent_headers(step));
                }
                if let Some(sent) = &call.body {
                    let rest = "as the plan gives it".to_owned();
                    body(html, sent, sent.len(), &checks_on(step, Channel::Request), largest, &rest);
                }
            }),
            Some(Call::Command(call)) => part(html, "sent", |html| {
                html.say("code", "url", &call.argv.join(" "));
                if let Some(stdin) = &call.stdin {
                    body(html, stdin, stdin.len(), &[], largest, "as the plan gives it");
                }
            }),
            Some(Call::Log(call)) => part(html, "looked", |html| {
                html.say("code", "url", &format!("into the log of {}", call.service));
            }),
            None => {}
        }
        match step.observation.as_deref() {
            Some(Observation::Http(http)) => part(html, "got", |html| {
                let Some(last) = http.hops.last() else { return };
                if whole {
                    for hop in &http.hops[..http.hops.len() - 1] {
                        html.say("p", "none", &format!("hop {} {}", hop.hop.status, hop.hop.url));
                    }
                    html.say(
                        "p",
                        "none",
                        &format!("{} {} from {}", last.hop.status, last.hop.reason, last.hop.peer.address),
                    );
                    html.say("p", "none", &phases(&last.hop.phases));
                    headers(html, &last.hop.headers);
                }
                captured_body(page, html, position, Channel::Body, &last.body().sha256, largest);
            }),
            Some(Observation::Command(command)) => {
                part(html, "stdout", |html| {
                    captured_body(page, html, position, Channel::Stdout, &command.stdout.sha256, largest);
                });
                if command.stderr.bytes > 0 {
                    part(html, "stderr", |html| {
                        captured_body(page, html, position, Channel::Stderr, &command.stderr.sha256, largest);
                    });
                }
            }
            Some(Observation::Log(log)) => part(html, "log", |html| {
                captured_body(page, html, position, Channel::Log, &log.kept.sha256, largest);
            }),
            None => {}
        }
    });
}

fn part(html: &mut Html, word: &'static str, inside: impl FnOnce(&mut Html)) {
    html.el("div", &[A::Class("part")], |html| {
        html.say("h4", "", word);
        inside(html);
    });
}

fn headers(html: &mut Html, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    html.el("details", &[A::Class("headers")], |html| {
        let noun = if pairs.len() == 1 { "header line" } else { "header lines" };
        html.say("summary", "", &format!("{} {noun}", pairs.len()));
        html.el("pre", &[], |html| {
            for (name, value) in pairs.iter().take(CHECKS) {
                html.text(&format!("{name}: {value}"));
                html.lines("\n");
            }
        });
    });
}

fn phases(phases: &Phases) -> String {
    let named = [
        ("dns", phases.dns_us),
        ("connect", phases.connect_us),
        ("tls", phases.tls_us),
        ("first byte", phases.first_byte_us),
        ("body", phases.body_us),
    ];
    let named = named.into_iter().filter(|(_, us)| *us > 0).map(|(name, us)| format!("{name} {}", time(us)));
    named.collect::<Vec<_>>().join(", ")
}

fn captured_body(page: &Page<'_>, html: &mut Html, position: usize, channel: Channel, digest: &Digest, largest: usize) {
    let step = &page.judged.audited().steps()[position];
    let one = captured(page.judged, step).iter().find(|one| one.sha256 == *digest);
    let rest = match one.map(|one| &one.content) {
        Some(Content::File(name)) => format!("all of it is evidence/{name}"),
        _ => "all of it stands in the journal".to_owned(),
    };
    let total = one.map(|one| usize::try_from(one.bytes).unwrap_or(usize::MAX));
    // Of a large body that no check looks into, the beginning is enough.
    let head = total.filter(|total| *total > largest && !reads_body(page.judged.step(position).1));
    let (bytes, checks) = match head {
        Some(_) => (page.bytes.head(digest).map(Arc::new), Vec::new()),
        None => (page.bytes.bytes(digest), checks_on(step, channel)),
    };
    match bytes {
        Some(bytes) => body(html, &bytes, head.unwrap_or(bytes.len()), &checks, largest, &rest),
        None => html.say("p", "none", "its bytes are not at hand"),
    }
}

fn checks(judged: &Judged, html: &mut Html, position: usize) {
    let all = &judged.audited().steps()[position].judgement.checks;
    if all.is_empty() {
        return;
    }
    html.el("table", &[A::Class("checks")], |html| {
        html.fixed("<thead><tr><th>check<th>expected<th>from<th>saw</thead>");
        html.el("tbody", &[], |html| {
            for check in all.iter().take(CHECKS) {
                check_row(judged, html, position, check);
            }
        });
    });
    if all.len() > CHECKS {
        html.say("p", "none", &format!("{} more checks", all.len() - CHECKS));
    }
}

fn check_row(judged: &Judged, html: &mut Html, position: usize, check: &CheckResult) {
    let (scenario, planned) = judged.step(position);
    let status = state_of(check.truth);
    html.el("tr", &[A::State(status)], |html| {
        html.say(
            "td",
            "",
            if status == Status::Passed {
                "holds"
            } else if status == Status::Failed {
                "FAILS"
            } else {
                "UNKNOWN"
            },
        );
        html.el("td", &[], |html| html.say("code", "", &expected(check)));
        let from = origin(judged, scenario, planned, check);
        html.say("td", "", &from.unwrap_or_else(|| provenance_word(judged, scenario, planned, check).to_owned()));
        html.el("td", &[], |html| {
            html.say("code", "", &check.saw);
            if let Some(why) = &check.why {
                html.text(&format!(" ({why})"));
            }
        });
    });
}

/// What was captured for a step: role, size, digest.
fn evidence(judged: &Judged, html: &mut Html, position: usize) {
    let all = captured(judged, &judged.audited().steps()[position]);
    html.el("ul", &[A::Class("evidence")], |html| {
        for one in all.iter().take(CHECKS) {
            html.el("li", &[], |html| {
                html.text(&format!("{}, {}{} ", one.role, size(one.bytes), replaced(one.redactions)));
                html.say("code", "", &one.sha256.to_string());
            });
        }
    });
}
