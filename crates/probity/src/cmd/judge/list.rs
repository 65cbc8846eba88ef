//! `judge list`: which judges there are, who answers for them, and the digests that may be pinned.

use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::judge::{Judge, Made, Mutation};

use super::{profile, refuse};
use crate::answer::{LARGEST, clip, document, share, size};
use crate::cmd::here;
use crate::judging::{SHIPPED, known, sealed};
use crate::out::Out;
use crate::screen::block::Block;

pub(super) fn list(out: Out) -> u8 {
    let project = match here(out) {
        Ok(project) => project,
        Err(exit) => return exit,
    };
    let declared = match profile(&project, out) {
        Ok(profile) => profile.judges,
        Err(exit) => return exit,
    };
    let shipped = (!declared.iter().any(|judge| judge.name.as_str() == SHIPPED)).then_some(SHIPPED);
    let names = declared.iter().map(|judge| judge.name.as_str()).chain(shipped);
    let mut rows = Vec::new();
    for name in names {
        let judge = match known(name, &declared) {
            Ok(judge) => judge,
            Err(refused) => return refuse(&refused, out),
        };
        let made = sealed(&judge, &project).map(|(_, made)| made).map_err(|refused| refused.message);
        rows.push((judge, made));
    }
    out.data(&if out.json { answer(&rows) } else { screen(&rows, out) });
    0
}

type Row = (Judge, Result<Made, String>);

/// Whether the judge is the one that is pinned.
fn pin(judge: &Judge, made: &Made) -> &'static str {
    match judge.pin {
        None => "not pinned",
        Some(pin) if pin == made.digest() => "pinned",
        Some(_) => Code::JudgeChanged.as_str(),
    }
}

fn screen(rows: &[Row], out: Out) -> String {
    let mut block = Block::new(out);
    for (judge, made) in rows {
        let controls: Vec<&str> = judge.controls.iter().copied().map(Mutation::as_str).collect();
        let said = match made {
            Ok(made) => format!("{}   by {}   {}", made.run.join(" "), judge.by, pin(judge, made)),
            Err(why) => format!("by {}   {}   {why}", judge.by, Code::JudgeCallFailed),
        };
        block.row(0, judge.name.as_str(), 12, &said);
        block.row(2, "controls", 12, &controls.join(" "));
        if let Ok(made) = made {
            block.paste(2, &format!("digest    {}", made.digest()));
        }
    }
    block.done()
}

fn answer(rows: &[Row]) -> String {
    let each: Vec<Json> = rows
        .iter()
        .map(|(judge, made)| {
            let made = made.as_ref();
            let controls = judge.controls.iter().copied().map(Mutation::as_str);
            Json::map([
                ("name", Json::from(&judge.name)),
                ("by", clip(&judge.by, 150).into()),
                ("run", made.ok().map(|made| Json::list(made.run.iter().map(|word| clip(word, 150)))).into()),
                ("controls", Json::list(controls)),
                ("digest", made.ok().map(Made::digest).into()),
                ("pinned", made.ok().map(|made| judge.pin == Some(made.digest())).into()),
                ("why", made.err().map(|why| clip(why, 300)).into()),
            ])
        })
        .collect();
    let build = |taken: usize| {
        Json::map([
            ("schema", Json::from("probity/judge-list/1")),
            ("exit", 0.into()),
            ("judges", Json::List(each[..taken].to_vec())),
            ("left_out", Json::map([("judges", each.len() - taken)])),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0)) + 30);
    document(&build(share(room, &[&each])[0]))
}
