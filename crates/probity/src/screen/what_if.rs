//! `policy what-if` on the screen.

use probity_core::success_policy::{Reason, State};

use super::block::Block;
use super::policy::word;
use crate::answer::policy::{counted, counts_as, sentence};
use crate::cmd::policy::{Source, WhatIf};
use crate::out::Out;

/// So many flips and runs are shown.
const ROWS: usize = 10;

/// The block: what would be first, then what is, then what flips.
pub(crate) fn what_if(answer: &WhatIf<'_>, exit: u8, out: Out) -> String {
    let mut block = Block::new(out);
    match answer.pairs.iter().next().filter(|_| answer.pairs.len() == 1) {
        Some((id, pair)) => {
            let (now, then) = answer.reasons(pair);
            let (shown, tone) = word(then.outcome());
            let subject = id.as_deref().unwrap_or(&answer.then.name);
            block.verdict(shown, tone, &format!("{subject}   would be; nothing is written"));
            block.row(2, "then", 10, &side(answer.then, then, &pair.then));
            block.row(2, "now", 10, &format!("{}: {}", now.outcome().as_str(), side(answer.now, now, &pair.now)));
        }
        None => {
            let flips = answer.flips().count();
            let count = answer.pairs.len() as u64;
            let text = format!("{} of {} would flip; nothing is written", flips, counted(count, "requirement"));
            block.verdict("WHAT-IF", super::block::Tone::Open, &text);
            for (id, now, then) in answer.flips().take(ROWS) {
                let id = id.as_deref().unwrap_or("(none named)");
                let turned = format!("{} {now}, then {} {then}", now.outcome().as_str(), then.outcome().as_str());
                block.row(4, &probity_core::inert::shortened(id, 40), 24, &turned);
            }
            if flips > ROWS {
                block.line(4, 8, &format!("{} more: --format json", flips - ROWS));
            }
        }
    }
    if answer.added > 0 {
        block.row(2, "added", 10, &counted(answer.added, "hypothetical run"));
    }
    if answer.turns > 0 {
        block.row(2, "runs", 10, &format!("{} would count otherwise", answer.turns));
        for one in answer.turned.iter().take(ROWS) {
            let known = probity_core::success_policy::Class::Unknown;
            let turned = format!("{}, then {}", counts_as(known, one.now), counts_as(known, one.then));
            block.row(4, &probity_core::inert::shortened(&one.name, 40), 24, &turned);
        }
    }
    for (code, message) in &answer.noticed {
        block.row(2, "warning", 10, &format!("{code}   {message}"));
    }
    format!("{}exit {exit}\n", block.done())
}

fn side(source: &Source, reason: Reason, state: &State) -> String {
    match &source.policy {
        Ok(policy) => format!("{reason}   {}", sentence(policy, state)),
        Err(invalid) => format!("{reason}   {}", invalid.message),
    }
}
