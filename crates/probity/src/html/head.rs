//! The head of the page: the verdict, and of what it is one.

use jiff::Timestamp;
use probity_core::judged::Judged;

use super::Page;
use super::write::{A, Html};
use crate::answer::ASSURANCE;
use crate::answer::attempt::attempt;
use crate::screen::run::{counted, subject_words, weakening};

/// The tools above the rows; hidden where no script runs.
pub(super) const TOOLS: &str = "<p class=\"tools\" hidden><input type=\"search\" placeholder=\"filter rows (/)\" \
     aria-label=\"filter rows\"> <button type=\"button\" data-k=\"n\">next non-pass <kbd>n</kbd></button> <button \
     type=\"button\" data-k=\"e\">evidence <kbd>e</kbd></button> <button type=\"button\" data-k=\"?\">keys \
     <kbd>?</kbd></button> <output></output></p><dialog><h2>Keys</h2><dl class=\"facts\"><div><dt>n</dt><dd>next row \
     that did not pass</dd></div><div><dt>e</dt><dd>evidence</dd></div><div><dt>/</dt><dd>filter rows</dd></div><div>\
     <dt>?</dt><dd>this list</dd></div><div><dt>Esc</dt><dd>close it, or empty the filter</dd></div></dl><button \
     type=\"button\">close</button></dialog>";

/// The line that stays in sight, and is printed on each page.
pub(super) fn bar(page: &Page<'_>, html: &mut Html) {
    let status = page.judged.status();
    html.el("header", &[A::State(status)], |html| {
        html.el("div", &[A::Class("bar")], |html| {
            html.el("h1", &[], |html| {
                html.say("b", "verdict", &status.as_str().to_uppercase());
                html.text(" ");
                html.say("span", "title", page.judged.audited().checked().title());
            });
            html.el("p", &[A::Class("lead")], |html| {
                html.text(&counted(page.judged));
                html.text(" ");
                html.el("span", &[A::Class("seal")], |html| html.text(&format!("seal {}", page.seal)));
            });
        });
    });
}

/// What the verdict is about.
pub(super) fn facts(page: &Page<'_>, html: &mut Html) {
    html.el("dl", &[A::Class("facts about")], |html| rows(page, html));
}

fn rows(page: &Page<'_>, html: &mut Html) {
    let audited = page.judged.audited();
    let environment = audited.checked().environment();
    let mut row = |name: &'static str, inside: &dyn Fn(&mut Html)| {
        html.el("div", &[], |html| {
            html.say("dt", "", name);
            html.el("dd", &[], |html| inside(html));
        });
    };
    if let Some(source) = &audited.checked().matrix().source {
        row("requirement", &|html| html.link(source, source));
    }
    let origin = environment.origins.first().map(ToString::to_string);
    let named = environment.name.clone().unwrap_or_else(|| "NOT DECLARED".to_owned());
    let url = environment.url.clone().or(origin).unwrap_or_default();
    let data = environment.data.as_deref().unwrap_or("UNDECLARED");
    row("environment", &|html| html.text(&format!("{named} {url} - {data} data")));
    row("subject", &|html| html.text(&subject_words(page.judged)));
    row("time", &|html| html.text(&time(page.judged)));
    let weakened = if page.judged.weakenings().is_empty() { "no weakening".to_owned() } else { weakening(page.judged) };
    row("claim", &|html| html.text(&format!("{ASSURANCE}; {}; {weakened}", attempt(page.judged))));
    row("terms", &|html| html.text(&page.judged.conditions().join("; ")));
    row("run", &|html| html.text(audited.recorded().run()));
}

/// `30 Nov 2026 14:24 UTC, 2.1 s`, by the journal's clock.
pub(super) fn time(judged: &Judged) -> String {
    let recorded = judged.audited().recorded();
    let read = |text: &str| text.parse::<Timestamp>().ok();
    match (read(recorded.opened_at()), read(recorded.last_at())) {
        (Some(from), Some(to)) => {
            let ms = to.as_millisecond() - from.as_millisecond();
            format!("{}, {}.{} s", from.strftime("%-d %b %Y %H:%M UTC"), ms / 1000, ms % 1000 / 100)
        }
        _ => recorded.opened_at().to_owned(),
    }
}
