//! Binding rows of the matrix to source units: by span, or by words (harness-planning.md 5.2).
//!
//! Decisions. A row that carries its span and the digest of the text binds exactly, and only inside one paragraph or list
//! item, so that no row can claim a whole document. Rows written by hand are matched by words, which is weaker: a unit
//! that stands in the row word by word; else a row that names the unit's line or id and shares a third of its words; else
//! 72 of 100 words. In the last two a row claims one unit only (and its repetitions), the best, so that taking a row away
//! always shows. Numbers, HTTP methods, paths and identifiers of the unit must stand in the row, and
//! negations must agree, in all three: those are what a reworded line changes.

use std::collections::HashMap;

use super::words::{Lexicon, Words, label};
use super::{Match, Method, SourceUnit, UnitCoverage};
use crate::matrix::Criterion;

/// Share of a unit's words that a row must have, in thousandths.
const MIN_OVERLAP: u16 = 720;
/// The same where the row names the unit.
const MIN_NAMED: u16 = 340;
/// Most steps that matching by words may take; a few seconds' worth.
const MAX_WORK: usize = 400_000_000;

/// What binding came to.
pub(super) struct Bound {
    pub(super) units: Vec<UnitCoverage>,
    /// Rows whose span cannot be used, with the reason.
    pub(super) loose: Vec<(usize, &'static str)>,
    /// Whether matching by words was given up for size.
    pub(super) too_large: bool,
}

/// Binds rows to units. `digest` is that of the requirement.
pub(super) fn bind(text: &str, units: Vec<SourceUnit>, criteria: &[Criterion], digest: &str) -> Bound {
    let mut units: Vec<_> = units
        .into_iter()
        .map(|unit| UnitCoverage { unit, matches: Vec::new(), covered: false, nearly: None })
        .collect();
    let mut loose = Vec::new();
    let mut by_words = Vec::new();
    for (index, criterion) in criteria.iter().enumerate() {
        match exactly(&units, criterion, digest) {
            Exactly::Units(range) => {
                for unit in units.get_mut(range).unwrap_or_default() {
                    let span = criterion.span.unwrap_or_default();
                    let share = share(text, &unit.unit, &[span]);
                    unit.matches.push(Match::new(criterion, Method::SourceSpan, share));
                }
            }
            Exactly::Unbound => by_words.push(index),
            Exactly::Loose(why) => {
                loose.push((index, why));
                by_words.push(index);
            }
        }
    }
    let spans: HashMap<&str, (usize, usize)> =
        criteria.iter().filter_map(|criterion| Some((criterion.id.as_str(), criterion.span?))).collect();
    for unit in &mut units {
        let spans: Vec<_> = unit.matches.iter().filter_map(|m| spans.get(m.requirement_id.as_str()).copied()).collect();
        unit.covered = !spans.is_empty() && share(text, &unit.unit, &spans) == 1000;
    }
    let too_large = !Matching::new(&units, criteria, &by_words).run(&mut units, criteria);
    Bound { units, loose, too_large }
}

enum Exactly {
    /// These units.
    Units(std::ops::Range<usize>),
    /// The row says nothing of a span.
    Unbound,
    /// Its span cannot be used.
    Loose(&'static str),
}

/// The units that a row's span lies in.
fn exactly(units: &[UnitCoverage], criterion: &Criterion, digest: &str) -> Exactly {
    let Some((start, end)) = criterion.span else { return Exactly::Unbound };
    match criterion.source_sha256.as_deref() {
        None => return Exactly::Loose("has a span without the digest of the requirement that it was taken from"),
        Some(known) if known != digest => return Exactly::Loose("is bound to another text of the requirement"),
        Some(_) => {}
    }
    let first = units.partition_point(|unit| unit.unit.span.1 <= start);
    let last = units.partition_point(|unit| unit.unit.span.0 < end);
    let touched = units.get(first..last).unwrap_or_default();
    match (touched.first(), touched.last()) {
        (Some(a), Some(b)) if a.unit.block == b.unit.block => Exactly::Units(first..last),
        (Some(_), _) => Exactly::Loose("has a span over more than one paragraph or list item"),
        (None, _) => Exactly::Loose("has a span without a source unit"),
    }
}

/// Share of a unit's letters and digits that lie in spans, in thousandths; 1000 only if all do.
fn share(text: &str, unit: &SourceUnit, spans: &[(usize, usize)]) -> u16 {
    let letters = text.get(unit.text_start..unit.span.1).unwrap_or_default().char_indices();
    let (mut all, mut inside) = (0usize, 0usize);
    for (at, c) in letters.filter(|(_, c)| c.is_alphanumeric()) {
        let (start, end) = (unit.text_start + at, unit.text_start + at + c.len_utf8());
        all += 1;
        inside += usize::from(spans.iter().any(|span| span.0 <= start && end <= span.1));
    }
    thousandths(inside, all)
}

/// Rounded down, so that 1000 means all.
fn thousandths(part: usize, all: usize) -> u16 {
    part.saturating_mul(1000).checked_div(all).and_then(|n| u16::try_from(n).ok()).unwrap_or_default()
}

/// Matching by words.
struct Matching<'a> {
    rows: Vec<(usize, Words, &'a str)>,
    words: Vec<(Words, Option<String>)>,
}

/// How one row stands to one unit.
enum Standing {
    Contains,
    Named(u16),
    Overlap(u16),
    /// Near enough, but for this.
    Differs(String),
    Nothing,
}

impl<'a> Matching<'a> {
    fn new(units: &[UnitCoverage], criteria: &'a [Criterion], rows: &[usize]) -> Self {
        let mut lexicon = Lexicon::default();
        let words = units
            .iter()
            .map(|unit| {
                let (label, text) = label(&unit.unit.text);
                (lexicon.words(text), label.map(str::to_owned))
            })
            .collect();
        let rows = rows
            .iter()
            .filter_map(|index| {
                let criterion = criteria.get(*index)?;
                Some((*index, lexicon.words(label(&criterion.text).1), criterion.source.as_str()))
            })
            .collect();
        Self { rows, words }
    }

    /// Notes the matches; `false` if there is too much to compare.
    fn run(&self, units: &mut [UnitCoverage], criteria: &[Criterion]) -> bool {
        let total: usize = self.words.iter().map(|(words, _)| words.run.len() + 1).sum();
        let work: usize = self.rows.iter().fold(0, |sum: usize, (_, words, _)| {
            sum.saturating_add(total.saturating_add(words.run.len() * self.words.len()))
        });
        if work > MAX_WORK {
            return false;
        }
        for (index, row, source) in &self.rows {
            let Some(criterion) = criteria.get(*index) else { continue };
            for (at, method, score) in self.row(units, criterion, row, source) {
                if let Some(unit) = units.get_mut(at) {
                    unit.matches.push(Match::new(criterion, method, score));
                    unit.covered = true;
                }
            }
        }
        true
    }

    /// The units that one row claims.
    fn row(
        &self,
        units: &mut [UnitCoverage],
        criterion: &Criterion,
        row: &Words,
        source: &str,
    ) -> Vec<(usize, Method, u16)> {
        let mut contained = Vec::new();
        let mut best: Option<(usize, Method, u16)> = None;
        for (at, (unit, (words, label))) in units.iter_mut().zip(&self.words).enumerate() {
            let named = label.as_deref() == Some(criterion.id.as_str()) || names(source, &unit.unit.source);
            let found = match standing(words, row, named) {
                Standing::Contains => {
                    contained.push(at);
                    continue;
                }
                Standing::Named(score) => (at, Method::Source, score),
                Standing::Overlap(score) => (at, Method::TokenOverlap, score),
                Standing::Differs(how) => {
                    unit.nearly.get_or_insert_with(|| format!("{} {how}", criterion.id));
                    continue;
                }
                Standing::Nothing => continue,
            };
            let rank = |m: &(usize, Method, u16)| (m.1 == Method::Source, m.2);
            if best.as_ref().is_none_or(|best| rank(&found) > rank(best)) {
                best = Some(found);
            }
        }
        // A row may say what several units say, then its negations must be theirs. One that is a unit says no other:
        // a part of "must not X" may say the opposite.
        let equal = |at: &usize| self.words.get(*at).is_some_and(|(words, _)| words.run == row.run);
        if contained.iter().any(equal) {
            contained.retain(equal);
        }
        let negations: usize = contained.iter().filter_map(|at| Some(self.words.get(*at)?.0.negations)).sum();
        if contained.first().is_some_and(equal) || (!contained.is_empty() && negations == row.negations) {
            return contained.into_iter().map(|at| (at, Method::TextContains, 1000)).collect();
        }
        for at in contained {
            if let Some(unit) = units.get_mut(at) {
                unit.nearly.get_or_insert_with(|| format!("{} says it with another negation", criterion.id));
            }
        }
        let Some((at, method, score)) = best else { return Vec::new() };
        let same = |other: &(Words, Option<String>)| self.words.get(at).is_some_and(|own| own.0.run == other.0.run);
        let repetitions = self.words.iter().enumerate().filter(|(other, words)| *other == at || same(words));
        repetitions.map(|(at, _)| (at, method, score)).collect()
    }
}

fn standing(unit: &Words, row: &Words, named: bool) -> Standing {
    let shared = unit.shared(row);
    let score = thousandths(shared, unit.run.len());
    // One or two words stand in many rows by chance.
    if shared == unit.run.len() && unit.stands_in(row) && (unit.run.len() > 2 || unit.run.len() == row.run.len()) {
        return Standing::Contains;
    }
    if score < if named { MIN_NAMED } else { MIN_OVERLAP } || (unit.run.len() < 3 && !named) {
        return Standing::Nothing;
    }
    if let Some(figure) = unit.figure_missing_in(row) {
        return Standing::Differs(format!("says nearly the same without `{figure}`"));
    }
    if unit.negations != row.negations {
        return Standing::Differs("says nearly the same with another negation".to_owned());
    }
    if named { Standing::Named(score) } else { Standing::Overlap(score) }
}

/// Whether a row's source names a unit by its label, as words of its own: `requirement.md line 3` names `line 3` only.
fn names(source: &str, label: &str) -> bool {
    // A source is a few words; more than that names nothing.
    let source = source.get(..256).unwrap_or(source);
    source.match_indices(label).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        let after = source[at + label.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
