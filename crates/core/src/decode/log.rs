//! A seed-form step with the action `log`.

use super::reading::{Reading, field, text};
use crate::document::Node;
use crate::ids::Id;
use crate::plan::LogStep;

impl Reading<'_> {
    /// The service and how it is looked at; the table has seen that the id is one.
    pub(super) fn log(&mut self, step: &Node) -> Option<LogStep> {
        let service = Id::parse(&text(step, "service")?).ok()?;
        let polls = ["pollIntervalMs", "pollTimeoutMs", "maxAttempts"].iter().any(|name| field(step, name).is_some());
        Some(LogStep { service, poll: polls.then(|| self.poll(step)) })
    }
}
