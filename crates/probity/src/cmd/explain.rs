//! `explain`: what a code means and what to do about it.

use std::fmt::Write as _;

use probity_core::codes::{Area, Code};
use probity_core::json::Json;

use super::fail;
use crate::answer;
use crate::cli::ExplainArgs;
use crate::out::Out;
use crate::screen::block::{Block, whose};

/// The areas in the order in which a reader meets them, with a heading and a sentence.
const AREAS: [(Area, &str, &str); 10] = [
    (Area::Document, "document", "Reading what people write."),
    (Area::Lint, "plan check", "Rules that a plan can break without being run."),
    (Area::Step, "step", "What a step came to."),
    (Area::Verdict, "verdict", "Reasons against a claim."),
    (Area::Integrity, "integrity", "What `verify` finds in a run folder."),
    (Area::Policy, "success policy", "What `probity policy` says of success policies and their runs."),
    (Area::Judge, "judge", "What `probity judge` says of judges and their votes."),
    (Area::Report, "report", "What `probity profile`, `cases` and `import playwright` say of what they read."),
    (Area::Usage, "usage", "Using the program."),
    (Area::Index, "index of QA runs", "Keeping requirements and their runs, and what `probity qa gate` says."),
];

/// Explains one code, or all.
pub(crate) fn explain(args: &ExplainArgs, out: Out) -> u8 {
    let Some(asked) = &args.code else {
        out.data(&match (out.json, args.markdown) {
            (true, _) => all_json(),
            (false, true) => markdown(),
            (false, false) => list(out),
        });
        return 0;
    };
    match Code::parse(asked) {
        Some(code) if out.json => {
            let mut map = probity_core::json::Map::new();
            map.push("schema", "probity/explain/1");
            map.push("exit", 0);
            fields(code).into_iter().for_each(|(name, value)| map.push(name, value));
            out.data(&answer::document(&Json::Map(map)));
            0
        }
        Some(code) => {
            out.data(&one(code, out));
            0
        }
        None => {
            let help = Code::nearest(asked).map_or_else(
                || Code::CodeUnknown.explanation().remedy.to_owned(),
                |near| format!("did you mean {near}?"),
            );
            fail(out, Code::CodeUnknown, &format!("{asked}: there is no such code"), &help)
        }
    }
}

fn area_name(area: Area) -> &'static str {
    AREAS.iter().find(|(known, ..)| *known == area).map_or("", |(_, name, _)| name)
}

fn fields(code: Code) -> [(&'static str, Json); 5] {
    let explanation = code.explanation();
    [
        ("code", code.as_str().into()),
        ("area", area_name(explanation.area).into()),
        ("who", explanation.who.as_str().into()),
        ("meaning", explanation.meaning.into()),
        ("remedy", explanation.remedy.into()),
    ]
}

fn one(code: Code, out: Out) -> String {
    let explanation = code.explanation();
    let mut block = Block::new(out);
    block.line(0, 2, &format!("{code}   {}", area_name(explanation.area)));
    block.row(2, "meaning", 12, explanation.meaning);
    block.row(2, whose(explanation.who), 12, explanation.remedy);
    block.done()
}

fn list(out: Out) -> String {
    let mut block = Block::new(out);
    for (area, ..) in AREAS {
        for code in Code::ALL.iter().filter(|code| code.explanation().area == area) {
            block.row(0, code.as_str(), 38, code.explanation().meaning);
        }
    }
    block.done()
}

fn all_json() -> String {
    let codes = Code::ALL.iter().map(|code| Json::map(fields(*code))).collect();
    answer::document(&Json::map([
        ("schema", Json::from("probity/explain/1")),
        ("exit", 0.into()),
        ("codes", Json::List(codes)),
    ]))
}

/// The page docs/rules.md.
fn markdown() -> String {
    let mut text = "<!-- Made by `probity explain --all --markdown` from the catalogue of codes. Do not edit. -->\n\n# Rules\n\n\
        Everything that probity can notice has a code. A code keeps its meaning and is never used again for another one.\n\
        `probity explain CODE` shows a line of these tables.\n"
        .to_owned();
    for (area, name, sentence) in AREAS {
        let heading = name[..1].to_uppercase() + &name[1..];
        let _ = write!(
            text,
            "\n## {heading}\n\n{sentence}\n\n| code | meaning | whose move | what to do |\n|---|---|---|---|\n"
        );
        for code in Code::ALL.iter().filter(|code| code.explanation().area == area) {
            let explanation = code.explanation();
            let cell = |words: &str| words.replace('|', "\\|").replace('<', "&lt;");
            let (meaning, remedy) = (cell(explanation.meaning), cell(explanation.remedy));
            let _ = writeln!(text, "| `{code}` | {meaning} | {} | {remedy} |", explanation.who.as_str());
        }
    }
    text
}
