//! What a step's own input holds, and what its expectations refer to.

use std::collections::BTreeSet;

use super::references::{Reference, holes, input_data, references};
use crate::expect::{Expect, Op, What};
use crate::json::Json;
use crate::plan::{Action, Step};

/// Variables that go into what a step sends or starts, wherever they stand.
pub(super) fn input_variables(step: &Step) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = variables(input_data(step));
    match &step.action {
        Action::Http(http) => names.extend(holes(&http.target)),
        Action::Command(command) => names.extend(command.cwd.iter().flat_map(|cwd| holes(cwd))),
    }
    names
}

/// Variables among the references of some values.
pub(super) fn variables<'a>(values: impl IntoIterator<Item = &'a Json>) -> BTreeSet<&'a str> {
    values
        .into_iter()
        .flat_map(references)
        .filter_map(|reference| match reference {
            Reference::Variable(name) => Some(name),
            Reference::Environment(_) => None,
        })
        .collect()
}

/// Every operand of a check.
pub(super) fn operands(what: &What) -> Vec<&Json> {
    let mut found = Vec::new();
    match what {
        What::Header(_, expect) | What::Text(_, expect) => in_expect(expect, &mut found),
        What::Json(_, pairs) => pairs.iter().for_each(|(_, expect)| in_expect(expect, &mut found)),
        What::JsonAny(_, branches) => {
            branches.iter().flatten().for_each(|(_, expect)| in_expect(expect, &mut found));
        }
        What::Contains(_, items, _) => found.extend(items),
        What::Size(ops) => in_ops(ops, &mut found),
        What::Redirect(value) => found.push(value),
        What::Status(_) | What::Exit(_) | What::Time(_) | What::HttpVersion(_) | What::Schema(..) => {}
    }
    found
}

/// Every operand of an operator.
pub(super) fn operands_of(op: &Op) -> Vec<&Json> {
    let mut found = Vec::new();
    in_ops(std::slice::from_ref(op), &mut found);
    found
}

fn in_expect<'a>(expect: &'a Expect, found: &mut Vec<&'a Json>) {
    in_ops(&expect.0, found);
}

fn in_ops<'a>(ops: &'a [Op], found: &mut Vec<&'a Json>) {
    for op in ops {
        match op {
            Op::Equals(value)
            | Op::Contains(value, _)
            | Op::StartsWith(value)
            | Op::EndsWith(value)
            | Op::Compare(_, value) => found.push(value),
            Op::OneOf(values) => found.extend(values),
            Op::Not(inner) | Op::Any(inner) | Op::All(inner) => in_expect(inner, found),
            Op::AnyOf(branches) => branches.iter().for_each(|branch| in_expect(branch, found)),
            Op::Length(ops) | Op::Count(ops) => in_ops(ops, found),
            Op::Type(_) | Op::Matches(_) | Op::Schema(_) | Op::Exists | Op::Missing | Op::NotNull => {}
        }
    }
}

/// Files that a check reads.
pub(super) fn schema_files(what: &What) -> Vec<&str> {
    let mut found = Vec::new();
    match what {
        What::Schema(_, file) => found.push(file.as_str()),
        What::Header(_, expect) | What::Text(_, expect) => schemas(&expect.0, &mut found),
        What::Json(_, pairs) => pairs.iter().for_each(|(_, expect)| schemas(&expect.0, &mut found)),
        What::JsonAny(_, branches) => branches.iter().flatten().for_each(|(_, e)| schemas(&e.0, &mut found)),
        What::Contains(..)
        | What::Size(_)
        | What::Redirect(_)
        | What::Status(_)
        | What::Exit(_)
        | What::Time(_)
        | What::HttpVersion(_) => {}
    }
    found
}

fn schemas<'a>(ops: &'a [Op], found: &mut Vec<&'a str>) {
    for op in ops {
        match op {
            Op::Schema(file) => found.push(file),
            Op::Not(inner) | Op::Any(inner) | Op::All(inner) => schemas(&inner.0, found),
            Op::AnyOf(branches) => branches.iter().for_each(|branch| schemas(&branch.0, found)),
            _ => {}
        }
    }
}
