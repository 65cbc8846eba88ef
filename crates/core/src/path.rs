//! Paths into JSON values (plan.md, "PATH").

/// A path as plans write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// As it was written.
    pub text: String,
    /// As it is walked.
    pub steps: PathSteps,
}

/// How a path is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSteps {
    /// `$`, or names joined by `.`: digits index a list and name a key in a map.
    Names(Vec<String>),
    /// A JSONPath query (RFC 9535) beyond that; `plural` when it may select more than one node.
    Query {
        /// Whether it may select more than one node.
        plural: bool,
    },
}
