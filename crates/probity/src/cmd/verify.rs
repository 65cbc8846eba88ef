//! `verify`: works a run's verdict out again from its bytes. Writes nothing, needs no network.
//!
//! What is trusted comes from flags of this command only (design.md section 6; threats.md test 9): neither the
//! environment nor a file in the run's tree can tell the verifier what to believe.

mod demand;

use probity_core::codes::Code;
use probity_core::journal::Seal;
use probity_core::verify::Verified;

pub(crate) use demand::Demand;

use super::{fail, locate};
use crate::cli::VerifyArgs;
use crate::out::Out;
use crate::{answer, derive, screen};

/// Variables by which somebody may have tried to say what is to be trusted.
pub(crate) const TRUST: [&str; 9] = [
    "PROBITY_ALLOWED_SIGNERS",
    "PROBITY_REQUIRE_SIGNATURE",
    "PROBITY_SUBJECT",
    "PROBITY_PLAN",
    "PROBITY_REQUIREMENT",
    "PROBITY_ENVIRONMENT",
    "PROBITY_MAX_AGE",
    "PROBITY_SEAL",
    "PROBITY_INDEX",
];

/// Verifies a run.
pub(crate) fn verify(args: &VerifyArgs, out: Out) -> u8 {
    refuse_environment(out);
    let seal = match args.seal.as_deref().map(|text| Seal::parse(text).ok_or(text)) {
        None => None,
        Some(Ok(seal)) => Some(seal),
        Some(Err(text)) => {
            let message = format!("--seal {text}: this is no seal");
            return fail(
                out,
                Code::UsageError,
                &message,
                "a seal is an entry count and 16 digits: 214:7f3a91c2d4e8b016",
            );
        }
    };
    if let Some(index) = args.index.as_ref().filter(|index| !index.is_file()) {
        let message = format!("--index {}: there is no such file", index.display());
        return fail(out, Code::UsageError, &message, "name the run list that was kept apart from the run");
    }
    let wanted = match demand::Wanted::of(args) {
        Ok(wanted) => wanted,
        Err(message) => return fail(out, Code::UsageError, &message, "see probity verify --help"),
    };
    let dir = match locate(out, args.run.run.as_deref(), args.run.out.as_ref()) {
        Ok(dir) => dir,
        Err(exit) => return exit,
    };
    let verified = derive::verify(&dir, args.index.as_deref(), seal.as_ref());
    let mut demands = wanted.check(&verified);
    demands.extend(seal.map(|seal| demand::sealed(&seal, &verified)));
    let exit = exit_of(&verified, &demands, args.integrity_only);
    if out.json {
        out.data(&answer::document(&answer::verify::verify(&verified, &dir, &demands, exit)));
    } else {
        out.data(&screen::verify::verify(&verified, &dir, &demands, exit, out));
    }
    exit
}

/// Says by name which settings of the environment have no effect.
pub(crate) fn refuse_environment(out: Out) {
    for name in TRUST.into_iter().filter(|name| std::env::var_os(name).is_some()) {
        let code = Code::TrustFromEnvironment;
        out.warn(&format!("{code}: {name} has no effect; what is trusted is said by a flag of this command"));
    }
}

fn exit_of(verified: &Verified, demands: &[Demand], integrity_only: bool) -> u8 {
    if demands.iter().any(|demand| !demand.met) {
        return 6;
    }
    match verified.exit() {
        6 => 6,
        _ if !verified.closed => 5,
        _ if integrity_only => 0,
        exit => exit,
    }
}
