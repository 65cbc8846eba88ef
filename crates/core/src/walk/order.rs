//! In which order cases are run: a case comes after the cases that it starts from and after those whose values it names.
//! Nothing else is ordered.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::Id;
use crate::inputs::each_name;
use crate::plan::{Plan, Scenario};

/// A case starts from at most so many others, all told.
pub const MOST_USED: usize = 32;

/// The values of other cases that a case names as `{CASE.name}`: the case and the name.
#[must_use]
pub(super) fn named(scenario: &Scenario) -> BTreeSet<(&str, &str)> {
    let mut found = BTreeSet::new();
    scenario.steps.iter().for_each(|step| each_name(step, &mut |name| found.extend(name.rsplit_once('.'))));
    found
}

/// The order of the cases of a plan, which are named by their positions in it.
pub struct Order {
    /// In which order they are run one after another: of those that may begin, the first in the plan.
    pub positions: Vec<usize>,
    /// For each, those that it comes after.
    pub needs: Vec<BTreeSet<usize>>,
    /// For each, those that it starts from. Names that are no case are left out; the check refuses them.
    uses: Vec<Vec<usize>>,
    /// For each, its place in `positions`.
    rank: Vec<usize>,
    places: BTreeMap<Id, usize>,
    /// Those that lead back to themselves; they stand last, as in the plan.
    pub circular: BTreeSet<usize>,
}

impl Order {
    /// Works it out.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let scenarios = &plan.scenarios;
        let places: BTreeMap<Id, usize> = scenarios.iter().enumerate().map(|(i, s)| (s.id.clone(), i)).collect();
        let find = |case: &Id| places.get(case).copied();
        let uses: Vec<Vec<usize>> = scenarios
            .iter()
            .map(|scenario| scenario.uses.iter().filter_map(|used| find(&used.case)).collect())
            .collect();
        let needs: Vec<BTreeSet<usize>> = scenarios
            .iter()
            .zip(&uses)
            .map(|(scenario, used)| {
                let names = named(scenario).into_iter().filter_map(|(case, _)| find(&Id::parse(case).ok()?));
                // What a case says of itself orders nothing.
                used.iter().copied().chain(names).filter(|other| scenarios[*other].id != scenario.id).collect()
            })
            .collect();
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
        for (position, before) in needs.iter().enumerate() {
            before.iter().for_each(|other| followers[*other].push(position));
        }
        let mut open: Vec<usize> = needs.iter().map(BTreeSet::len).collect();
        let mut ready: BTreeSet<usize> = (0..needs.len()).filter(|position| open[*position] == 0).collect();
        let mut positions = Vec::with_capacity(needs.len());
        while let Some(position) = ready.pop_first() {
            positions.push(position);
            for follower in &followers[position] {
                open[*follower] -= 1;
                if open[*follower] == 0 {
                    ready.insert(*follower);
                }
            }
        }
        let left: BTreeSet<usize> = (0..needs.len()).filter(|position| open[*position] > 0).collect();
        positions.extend(&left);
        let circular = circular(left, &needs, &followers);
        let mut rank = vec![0; positions.len()];
        positions.iter().enumerate().for_each(|(place, position)| rank[*position] = place);
        Self { positions, needs, uses, rank, places, circular }
    }

    /// The position of a case.
    #[must_use]
    pub fn position(&self, case: &Id) -> Option<usize> {
        self.places.get(case).copied()
    }

    /// Which place a case has among those that are run one after another; the last for what is no case.
    #[must_use]
    pub fn rank(&self, case: &Id) -> usize {
        self.position(case).map_or(usize::MAX, |position| self.rank[position])
    }

    /// The cases that one comes after, by position: never itself, nor one that stands behind it because both lie on a
    /// circle, so that every case can begin at last.
    pub fn before(&self, position: usize) -> impl Iterator<Item = usize> {
        self.needs[position].iter().copied().filter(move |other| self.rank[*other] < self.rank[position])
    }

    /// Whether a case always begins after another has ended, because it comes after it, directly or through others.
    #[must_use]
    pub fn follows(&self, later: usize, earlier: usize) -> bool {
        let mut open = vec![later];
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            for before in self.before(next).filter(|before| self.rank[*before] >= self.rank[earlier]) {
                if before == earlier {
                    return true;
                }
                if seen.insert(before) {
                    open.push(before);
                }
            }
        }
        false
    }

    /// The cases that one starts from, directly or through others, in the order in which they are run; at most one more
    /// than [`MOST_USED`].
    #[must_use]
    pub fn lineage(&self, case: &Id) -> Vec<usize> {
        let Some(position) = self.position(case) else { return Vec::new() };
        let mut found = Vec::new();
        let mut open = vec![position];
        while let Some(next) = open.pop() {
            for used in self.uses[next].iter().filter(|used| **used != position) {
                if found.len() <= MOST_USED && !found.contains(used) {
                    found.push(*used);
                    open.push(*used);
                }
            }
        }
        found.sort_by_key(|used| self.rank[*used]);
        found
    }
}

/// What is left of the cases that cannot begin without those that only come after a circle.
fn circular(mut left: BTreeSet<usize>, needs: &[BTreeSet<usize>], followers: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut open: Vec<usize> =
        followers.iter().map(|after| after.iter().filter(|f| left.contains(f)).count()).collect();
    let mut ends: Vec<usize> = left.iter().copied().filter(|position| open[*position] == 0).collect();
    while let Some(position) = ends.pop() {
        left.remove(&position);
        for before in needs[position].iter().filter(|before| left.contains(before)) {
            open[*before] -= 1;
            if open[*before] == 0 {
                ends.push(*before);
            }
        }
    }
    left
}
