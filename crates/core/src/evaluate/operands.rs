//! The operands of an operator: where references stand, and how they read once filled.

use super::operators::Context;
use crate::expect::{Expect, Op};
use crate::json::Json;

/// Calls `f` with each operand of an operator, at any depth.
pub(super) fn each<'a>(op: &'a Op, f: &mut dyn FnMut(&'a Json)) {
    match op {
        Op::Equals(data) | Op::Contains(data, _) | Op::StartsWith(data) | Op::EndsWith(data) | Op::Compare(_, data) => {
            f(data);
        }
        Op::OneOf(items) => items.iter().for_each(f),
        Op::Not(inner) | Op::Any(inner) | Op::All(inner) => inner.0.iter().for_each(|op| each(op, f)),
        Op::AnyOf(alternatives) => alternatives.iter().flat_map(|inner| &inner.0).for_each(|op| each(op, f)),
        Op::Length(ops) | Op::Count(ops) => ops.iter().for_each(|op| each(op, f)),
        Op::Type(_) | Op::Matches(_) | Op::Schema(_) | Op::Exists | Op::Missing | Op::NotNull => {}
    }
}

/// The operator with its operands filled, to be shown; one that cannot be filled stays as it is written.
pub(super) fn filled(op: &Op, context: Context<'_>) -> Op {
    let data = |data: &Json| context.filled(data).unwrap_or_else(|_| data.clone());
    let all = |ops: &[Op]| ops.iter().map(|op| filled(op, context)).collect::<Vec<_>>();
    let inner = |inner: &Expect| Box::new(Expect(all(&inner.0)));
    match op {
        Op::Equals(operand) => Op::Equals(data(operand)),
        Op::Contains(operand, wanted) => Op::Contains(data(operand), *wanted),
        Op::StartsWith(operand) => Op::StartsWith(data(operand)),
        Op::EndsWith(operand) => Op::EndsWith(data(operand)),
        Op::Compare(comparison, operand) => Op::Compare(*comparison, data(operand)),
        Op::OneOf(items) => Op::OneOf(items.iter().map(data).collect()),
        Op::Not(expect) => Op::Not(inner(expect)),
        Op::Any(expect) => Op::Any(inner(expect)),
        Op::All(expect) => Op::All(inner(expect)),
        Op::AnyOf(alternatives) => Op::AnyOf(alternatives.iter().map(|expect| *inner(expect)).collect()),
        Op::Length(ops) => Op::Length(all(ops)),
        Op::Count(ops) => Op::Count(all(ops)),
        Op::Type(_) | Op::Matches(_) | Op::Schema(_) | Op::Exists | Op::Missing | Op::NotNull => op.clone(),
    }
}
