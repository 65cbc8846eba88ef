//! What is likely wrong with a policy that can be evaluated (spec section 6), and what an invalid one is.

use super::chance::{fewest, first, interval};
use super::import::{Dialect, import};
use super::outcome::settled;
use super::policy::{Operator, Policy, Rule};
use super::read::node;
use super::statistics::Level;
use super::turn::REACH;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Node, Place};
use crate::json::Number;
use crate::number::{compare, is_integer};

/// The widest interval that the fewest runs may leave without a warning.
pub const WIDEST: f64 = 0.25;
/// The greatest error rate without one.
const LOOSE: f64 = 0.2;

/// Everything that is worth saying about the text of a policy column. `file` is its name as the user gave it. The policy
/// is invalid where an error is among it.
#[must_use]
pub fn lint(file: &str, text: &[u8]) -> Vec<Diagnostic> {
    let mut found = Diagnostics::about(file);
    match Policy::read(text) {
        Err(invalid) => {
            found.push(invalid.diagnostic(file));
            if let Ok(imported) = import(text).map(|imported| imported.dialect)
                && imported != Dialect::V1
            {
                let place = invalid.place.unwrap_or_default();
                let message = format!("this is {}", imported.words());
                found.warning(Code::LegacyDialect, place, message, "carry it over: probity policy import FILE");
            }
        }
        // Blank text has nothing that could be wrong.
        Ok(policy) => {
            if let Ok(Some(node)) = node(text) {
                Lint { node: &node, found: &mut found }.policy(&policy);
            }
        }
    }
    found.into_sorted()
}

struct Lint<'a> {
    node: &'a Node,
    found: &'a mut Diagnostics,
}

impl Lint<'_> {
    fn policy(&mut self, policy: &Policy) {
        match policy {
            Policy::VerdictPass => {}
            Policy::Check { name, .. } => self.column(name, self.at("check"), true),
            Policy::Threshold { metric, threshold, operator } => {
                self.column(metric, self.at("metric"), true);
                if operator.is_none() {
                    self.warn(
                        Code::MissingOperator,
                        self.at("type"),
                        "no operator is written; at least is meant",
                        "add \"operator\": \"gte\"",
                    );
                }
                if *operator == Some(Operator::Eq) && !is_integer(threshold.number()) {
                    let message = format!("equality with {}, which is not whole", threshold.number().token());
                    self.warn(Code::EqOnFloat, self.at("threshold"), &message, "write gte or lte");
                }
            }
            Policy::Statistical { min_runs, min_pass_rate } => {
                let rate = min_pass_rate.float();
                if rate == 0.0 {
                    self.warn(Code::Vacuous, self.at("min_pass_rate"), "a rate of 0 is met by failures alone", "");
                }
                self.one_run(*min_runs);
                self.sample(*min_runs, rate, "min_runs");
            }
            Policy::Composite { rules } => self.rules(rules),
            Policy::Wilson { min_runs, level, .. } | Policy::PassK { min_runs, level, .. } => {
                self.sure(level);
                self.reachable(policy, *min_runs);
            }
            Policy::Sprt(ratio) => {
                for (name, rate) in [("alpha", &ratio.alpha), ("beta", &ratio.beta)] {
                    if rate.float() > LOOSE {
                        let message = format!("{name} {} is more than one time in five", rate.number().token());
                        self.warn(Code::LooseErrorRate, self.at(name), &message, "");
                    }
                }
            }
            Policy::PlannedRuns { planned, min_pass_rate } => {
                let rate = min_pass_rate.float();
                if rate == 0.0 {
                    self.warn(Code::Vacuous, self.at("min_pass_rate"), "a rate of 0 is met by failures alone", "");
                }
                if *planned == 1 {
                    self.warn(Code::MinRunsOne, self.at("planned"), "a single run decides", "");
                }
                self.sample(*planned, rate, "planned");
            }
            Policy::AgentJudgment { confidence_pass, confidence_fail, min_runs } => {
                if confidence_pass.float() == 0.0 {
                    self.warn(
                        Code::Vacuous,
                        self.at("confidence_pass"),
                        "every pass counts, however unsure the judge is",
                        "",
                    );
                }
                if confidence_pass.order(confidence_fail.number()).is_eq() {
                    let message = "both confidences are the same: nothing is left between them";
                    self.warn(Code::ZeroWidthZone, self.at("confidence_fail"), message, "");
                }
                self.one_run(*min_runs);
            }
        }
    }

    fn one_run(&mut self, min_runs: u64) {
        if min_runs == 1 {
            self.warn(Code::MinRunsOne, self.at("min_runs"), "a single run decides", "");
        }
    }

    /// What the fewest runs that satisfy would show.
    fn sample(&mut self, runs: u64, rate: f64, field: &str) {
        let passes = fewest(runs, rate);
        let Some(between) = interval(passes, runs).filter(|between| between.high() - between.low() > WIDEST) else {
            return;
        };
        let message = format!(
            "{passes} of {runs} would do, and leave the true rate anywhere from {:.2} to {:.2}",
            between.low(),
            between.high()
        );
        self.warn(Code::WeakSample, self.at(field), &message, "");
    }

    /// An interval that is wrong so often that it says next to nothing.
    fn sure(&mut self, level: &Level) {
        if level.confidence().float() < 1.0 - LOOSE {
            let message =
                format!("a confidence of {} is wrong more than one time in five", level.confidence().number().token());
            self.warn(Code::LooseErrorRate, self.at("confidence"), &message, "");
        }
    }

    /// The fewest runs that may be judged, where even passes alone would be too few.
    fn reachable(&mut self, policy: &Policy, min_runs: u64) {
        let needed = first(min_runs, REACH, |runs| settled(policy, (runs, 0)) == Some(true));
        let Some(needed) = needed.filter(|needed| *needed > min_runs) else { return };
        let message =
            format!("after {min_runs} runs nothing can be satisfied: it takes {needed} passes without a failure");
        let help = format!("plan for at least {needed} runs");
        self.warn(Code::RunsTooFew, self.at("min_runs"), &message, &help);
    }

    fn rules(&mut self, rules: &[Rule]) {
        for (position, rule) in rules.iter().enumerate() {
            self.column(rule.name(), self.at_rule(position, &["metric", "check"]), false);
            if let Rule::MinPct(_, bound) = rule
                && Number::parse("1").is_some_and(|one| bound.order(&one).is_ge())
            {
                let message = format!("{} percent is next to nothing", bound.number().token());
                self.warn(Code::PctLooksLikeFraction, self.at_rule(position, &["min_pct"]), &message, "");
            }
            let earlier = rules[..position].iter().position(|other| same(rule, other));
            if let Some(other) = earlier {
                let weaker = if implies(rule, &rules[other]) { other } else { position };
                let message = format!("rules[{position}] and rules[{other}] ask for {} both", rule.name());
                let help = format!("rules[{weaker}] can go");
                self.warn(Code::RedundantRule, self.at_rule(weaker, &["metric", "check"]), &message, &help);
            }
        }
    }

    /// Names of columns are keys of the raw result here, but for score in the two types that look at the column (L4, L5).
    fn column(&mut self, name: &str, place: Place, score: bool) {
        if ["confidence", "duration_ms", "verdict"].contains(&name) || (name == "score" && !score) {
            let message = format!("{name} is looked for in the raw result, and not in the column of that name");
            self.warn(Code::ColumnNameAsMetric, place, &message, "");
        }
    }

    fn warn(&mut self, code: Code, place: Place, message: &str, help: &str) {
        let help = if help.is_empty() { code.explanation().remedy } else { help };
        self.found.warning(code, place, message, help);
    }

    fn at(&self, field: &str) -> Place {
        self.node.get(field).map_or(self.node.place, |node| node.place)
    }

    fn at_rule(&self, position: usize, fields: &[&str]) -> Place {
        let rule = self.node.get("rules").and_then(Node::as_list).and_then(|rules| rules.get(position));
        let field = rule.and_then(|rule| fields.iter().find_map(|field| rule.get(field)));
        field.or(rule).map_or(self.node.place, |node| node.place)
    }
}

/// Whether two rules look at the same value in the same way; `min` and `min_pct` are both lower bounds.
fn same(a: &Rule, b: &Rule) -> bool {
    a.name() == b.name() && matches!(a, Rule::Check(_)) == matches!(b, Rule::Check(_))
}

/// Whether the first rule says what the second does.
fn implies(a: &Rule, b: &Rule) -> bool {
    match (a, b) {
        (Rule::Min(_, a) | Rule::MinPct(_, a), Rule::Min(_, b) | Rule::MinPct(_, b)) => {
            compare(a.number(), b.number()).is_gt()
        }
        _ => false,
    }
}
