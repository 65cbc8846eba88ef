//! `qa require`: enters what must hold, or makes a new version of it. What is not named stays as it is.

use probity_core::qa::{Blocking, Origin, Phase, Requirement, Terms};
use probity_store::index::{Head, Index, IndexError};

use super::{Desk, Exit, fail_index, id, now, phase, read_policy, see, words};
use crate::cli::qa::{OriginName, RequireArgs};
use crate::out::Out;
use crate::{answer, screen};

pub(super) fn require(args: &RequireArgs, out: Out) -> Exit {
    let id = id(&args.id, out)?;
    let by = words("by", &args.by, out)?;
    let reason = args.reason.as_deref().map(|why| words("reason", why, out)).transpose()?;
    let kind = args.kind.as_deref().map(|kind| words("kind", kind, out)).transpose()?;
    let desk = Desk::of(&args.at, out)?;
    let policy = args.policy.as_deref().map(|file| read_policy(file, &desk.project, out)).transpose()?;
    let target_env = args.target_env.as_deref().map(|name| words("target-env", name, out)).transpose()?;
    let plan = args.plan.as_deref().map(|name| words("plan", name, out)).transpose()?;
    let mut index = desk.create(out)?;
    let stands = stands(&mut index, &id).map_err(|error| fail_index(out, &error))?;
    let mut terms = stands.as_ref().map_or_else(first, |head| head.version.terms.clone());
    if let Some(policy) = policy {
        terms.policy = policy;
    } else if args.no_policy {
        terms.policy = None;
    }
    if let Some(name) = args.phase {
        terms.phase = phase(name);
    }
    if args.blocking {
        terms.blocking = Blocking::Blocking;
    } else if args.non_blocking {
        terms.blocking = Blocking::NonBlocking;
    }
    if args.accept_reported {
        terms.accept_reported = true;
    } else if args.observed_only {
        terms.accept_reported = false;
    }
    terms.target_env = target_env.or(terms.target_env);
    terms.plan = plan.map(|plan| plan.trim_start_matches("./").to_owned()).or(terms.plan);
    let old = stands.as_ref().map(|head| &head.requirement);
    let kind = kind.or_else(|| old.map(|old| old.kind.clone())).unwrap_or_else(|| "smoke".to_owned());
    let origin = args.source.map(origin).or_else(|| old.map(|old| old.origin)).unwrap_or(Origin::Explicit);
    let requirement = Requirement { id, kind, origin, by, at: now() };
    let required = index.require(&requirement, &terms, reason.as_deref(), &see);
    let required = required.map_err(|error| fail_index(out, &error))?;
    if out.json {
        out.data(&answer::document(&answer::qa::required(&requirement, &required)));
    } else {
        out.data(&screen::qa::required(&requirement, &required, out));
    }
    Ok(0)
}

/// The requirement as it stands, if it does.
fn stands(index: &mut Index, id: &str) -> Result<Option<Head>, IndexError> {
    match index.head(id) {
        Ok(head) => Ok(Some(head)),
        Err(IndexError::RequirementUnknown { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a requirement asks for where nothing else is said.
const fn first() -> Terms {
    Terms {
        policy: None,
        phase: Phase::Verification,
        blocking: Blocking::Blocking,
        target_env: None,
        plan: None,
        accept_reported: false,
    }
}

const fn origin(name: OriginName) -> Origin {
    match name {
        OriginName::Explicit => Origin::Explicit,
        OriginName::SeededDefault => Origin::SeededDefault,
        OriginName::AcDerived => Origin::AcDerived,
        OriginName::FlowDerived => Origin::FlowDerived,
    }
}
