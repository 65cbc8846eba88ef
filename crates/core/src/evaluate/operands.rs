//! The operands of an operator, as they read once filled.

use super::operators::Context;
use crate::expect::{Expect, Op};
use crate::json::Json;

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
