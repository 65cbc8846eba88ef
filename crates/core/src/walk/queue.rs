//! Which case may begin next while others are under way.

use std::collections::BTreeSet;

use super::order::Order;
use crate::ids::Id;
use crate::plan::{Action, Plan, Scenario};

/// Whether nothing else may be under way beside a case: what a service wrote cannot be told apart by who made it write
/// (docs/decisions/0009).
#[must_use]
pub fn is_alone(scenario: &Scenario) -> bool {
    scenario.steps.iter().any(|step| matches!(step.action, Action::Log(_)))
}

/// The cases of a run that did not begin yet. They begin in the order in which they would be run one after another; one
/// that has to wait lets those pass that have not.
pub struct Queue<'p> {
    cases: Vec<&'p Scenario>,
    /// For each, how many of those that it comes after have not ended.
    open: Vec<usize>,
    /// For each, those that come after it.
    followers: Vec<Vec<usize>>,
    /// Those that wait for nothing.
    ready: BTreeSet<usize>,
    under_way: BTreeSet<usize>,
}

impl<'p> Queue<'p> {
    /// With the selected cases, in the order in which they would be run one after another.
    #[must_use]
    pub fn of(plan: &Plan, cases: Vec<&'p Scenario>) -> Self {
        let order = Order::of(plan);
        let mut places = vec![None; plan.scenarios.len()];
        let positions: Vec<Option<usize>> = cases.iter().map(|case| order.position(&case.id)).collect();
        for (place, position) in positions.iter().enumerate() {
            position.iter().for_each(|position| places[*position] = Some(place));
        }
        let mut open = vec![0; cases.len()];
        let mut followers = vec![Vec::new(); cases.len()];
        for (place, position) in positions.iter().enumerate() {
            for before in position.iter().flat_map(|position| order.before(*position)).filter_map(|other| places[other])
            {
                open[place] += 1;
                followers[before].push(place);
            }
        }
        let ready = (0..cases.len()).filter(|place| open[*place] == 0).collect();
        Self { cases, open, followers, ready, under_way: BTreeSet::new() }
    }

    /// The case that begins now. `None` where those that are left have to wait until one under way has ended, and where
    /// none is left.
    pub fn begin(&mut self) -> Option<&'p Scenario> {
        let alone = |place: &usize| is_alone(self.cases[*place]);
        let first = *self.ready.first()?;
        if !self.under_way.is_empty() && (alone(&first) || self.under_way.iter().any(alone)) {
            return None;
        }
        self.ready.remove(&first);
        self.under_way.insert(first);
        Some(self.cases[first])
    }

    /// A case that was under way has ended.
    pub fn ended(&mut self, case: &Id) {
        let Some(place) = self.under_way.iter().copied().find(|place| self.cases[*place].id == *case) else { return };
        self.under_way.remove(&place);
        for follower in &self.followers[place] {
            self.open[*follower] -= 1;
            if self.open[*follower] == 0 {
                self.ready.insert(*follower);
            }
        }
    }
}
