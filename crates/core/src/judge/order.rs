//! In which order a judge is asked, drawn from a seed that it cannot know.

use super::Mutation;
use crate::ids::Digest;

/// What a call asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// What is judged: its answer is a vote.
    Original,
    /// The same with one exhibit made bad, by its position.
    Mutant(usize),
    /// Something that a person knows to be bad, by its position among those.
    KnownBad(usize),
    /// Something that a person knows to be good.
    KnownGood(usize),
}

impl Asked {
    /// As records write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Mutant(_) => "mutant",
            Self::KnownBad(_) => "known_bad",
            Self::KnownGood(_) => "known_good",
        }
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What it asks about.
    pub asked: Asked,
    /// What its answer must carry.
    pub nonce: String,
}

/// The calls of a judgement in the order in which they are made: each of `once` so often as there are votes, so that
/// nothing shows by how often it comes. Every call has a nonce of its own, so no answer fits two.
#[must_use]
pub fn calls(seed: &Digest, votes: usize, once: &[Asked]) -> Vec<Call> {
    let mut order: Vec<Asked> = (0..votes).flat_map(|_| once.iter().copied()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, below(seed, "order", last, last + 1));
    }
    let nonce = |at: usize| {
        let mut text = drawn(seed, "nonce", at).to_string();
        text.truncate(32);
        text
    };
    order.into_iter().enumerate().map(|(at, asked)| Call { asked, nonce: nonce(at) }).collect()
}

fn drawn(seed: &Digest, what: &str, at: usize) -> Digest {
    Digest::of_parts(&[seed.as_bytes(), what.as_bytes(), &(at as u64).to_be_bytes()])
}

/// A number below another; over eight bytes the rest of a division is even enough.
fn below(seed: &Digest, what: &str, at: usize, bound: usize) -> usize {
    let digest = drawn(seed, what, at);
    let number = digest.as_bytes().iter().take(8).fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
    usize::try_from(number % bound as u64).unwrap_or_default()
}

impl Mutation {
    /// The one that a seed draws of those that are declared: one for all calls of a judgement.
    #[must_use]
    pub fn drawn(seed: &Digest, declared: &[Self]) -> Self {
        declared.get(below(seed, "mutation", 0, declared.len().max(1))).copied().unwrap_or(Self::Blank)
    }
}
