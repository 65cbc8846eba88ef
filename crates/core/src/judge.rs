//! Judgement by a program (threats.md R22, plan.md "pinned"): what rules cannot say, a judge may, and it is not taken at its
//! word.
//!
//! A judge is a command with a small protocol: a [`Question`] in, an [`Answer`] out. Each vote is asked beside controls,
//! which are the same question over evidence that is known to be bad ([`Mutation`]) or good; [`calls`] shuffles them, so that
//! the judge cannot tell by order which is which. Votes of a judge that takes a bad one for good are void. All votes are
//! kept, and [`conclude`] makes one verdict of them, which [`row`] writes as a QA run.

mod answer;
mod author;
mod ballot;
mod declared;
mod measures;
mod mutation;
mod order;
mod pixels;
mod question;
mod record;

pub use answer::{Answer, AnswerFault, MOST_ANSWER};
pub use author::same_person;
pub use ballot::{Ballot, Conclusion, Ended, conclude};
pub use declared::{Judge, TIMEOUT_MS};
pub use mutation::Mutation;
pub use order::{Asked, Call, calls};
pub use pixels::{Certain, Compared, Mask, Measure};
pub use question::{Exhibit, MOST_HANDED, PROTOCOL, Question, Role};
pub use record::{HandedIn, Made, Record, row};

#[cfg(test)]
mod tests;
