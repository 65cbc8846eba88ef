//! `qa gate`: whether a phase is open, and what holds it up. The decision is kept before it is told.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::qa::gate::{Asked, Gate};
use probity_core::qa::{Decision, Phase};
use probity_store::index::Index;

use super::{Desk, Exit, fail_index, fresh_key, phase, standing};
use crate::cli::qa::GateArgs;
use crate::cmd::fail_with;
use crate::out::Out;
use crate::{answer, screen};

pub(super) fn gate(args: &GateArgs, out: Out) -> Exit {
    let desk = Desk::of(&args.at, out)?;
    let asked = standing::asked(&desk, &args.fresh, args.phase.map(phase), out)?;
    let mut index = desk.open(out)?;
    let gate = standing::look(&mut index, &[], &asked).map_err(|error| fail_index(out, &error))?;
    let decision = keep(&mut index, &gate, &asked, out)?;
    if out.json {
        out.data(&answer::document(&answer::qa::gate(&gate, &asked, &decision)));
    } else {
        out.data(&screen::qa::gate(&gate, &asked, &decision, out));
    }
    Ok(gate.exit())
}

/// A gate whose decision cannot be kept does not open.
fn keep(index: &mut Index, gate: &Gate, asked: &Asked, out: Out) -> Result<Decision, u8> {
    let body = gate.grounds(asked).map_err(|error| {
        let message = format!("what the decision rests on has no canonical form: {error}");
        fail_with(out, Code::IndexRefused, &message, Code::IndexRefused.explanation().remedy, 3)
    })?;
    let decision = Decision {
        key: fresh_key("decision-"),
        phase: asked.phase.map_or("all", Phase::as_str).to_owned(),
        ok: gate.ok(),
        sha256: Digest::of(body.as_bytes()),
        body,
        at: asked.now,
    };
    index.decide(&decision).map_err(|error| fail_index(out, &error))?;
    Ok(decision)
}
