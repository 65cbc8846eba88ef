//! A judge as the settings file declares it.

use super::Mutation;
use crate::ids::{Digest, Id};
use crate::observe::Field;

/// How long a judge may take for one answer, unless it says otherwise.
pub const TIMEOUT_MS: u64 = 60_000;

/// A judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judge {
    /// Its name.
    pub name: Id,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// Who answers for its judgement: it may not be who made what is judged.
    pub by: String,
    /// Time for one answer in ms.
    pub timeout_ms: u64,
    /// How what is known to be bad may be made of what is judged; one of them is drawn for each judgement.
    pub controls: Vec<Mutation>,
    /// What its bytes must have as their digest.
    pub pin: Option<Digest>,
    /// Working folder inside the project.
    pub cwd: String,
    /// Added environment; credentials by name.
    pub env: Vec<(String, Field)>,
}
