//! Which fields each type of policy takes: what the reader goes by, and the JSON Schema is made of.

use super::policy::Operator;

/// Keys that begin so are free, in a policy and in its rules (E3).
pub const PREFIX: &str = "x_";

/// The name of the semantics of the five types of the seed.
pub const SEMANTICS: &str = "success_policy-eval/v1";
/// The name of the semantics of the types that stand beside them. The two never change under their names.
pub const STATISTICS: &str = "success_policy-statistics/v1";

/// A type of policy: its fields stand in one of its forms.
#[derive(Debug)]
pub struct Type {
    /// Its name.
    pub name: &'static str,
    /// The name of the semantics that it belongs to.
    pub semantics: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Its forms; exactly one of them is written.
    pub forms: &'static [Form],
}

/// Fields that stand together.
#[derive(Debug)]
pub struct Form {
    /// The fields.
    pub fields: &'static [Field],
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether it must stand there.
    pub required: bool,
    /// What it means, as editors show it.
    pub doc: &'static str,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A text that is not empty.
    Name,
    /// A text, a number or a truth value.
    Scalar,
    /// A number.
    Number,
    /// A number from 0 to 1.
    Unit,
    /// A number from 0.000001 to 0.999999: a rate of nothing and of everything cannot be told apart from its neighbours.
    Open,
    /// A number from 0 to 100.
    Percent,
    /// A whole number from 1 to 1 000 000; `3.0` is whole (E7).
    Runs,
    /// A list of rules that is not empty.
    Rules,
}

const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, kind, required: true, doc }
}

const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, kind, required: false, doc }
}

const METRIC: &str = "The number that is compared: a key of raw_result, or score.";
const IN_RAW: &str = "A key of raw_result that holds a number.";
const MIN_RUNS: &str = "How many runs there must be before anything is judged.";

const LEVEL: &str = "How sure the interval must be, as in 0.95; half of the rest lies on either side of it.";
const RATE: &str = "The part of them that must pass, from 0 to 1.";

/// The types: five of version 1, and four beside them.
pub static TYPES: [Type; 9] = [
    Type {
        name: "deterministic",
        semantics: SEMANTICS,
        doc: "One run with the right result is enough.",
        forms: &[
            Form {
                fields: &[must(
                    "criteria",
                    Kind::Words(&["verdict_pass"]),
                    "verdict_pass: a run whose verdict is pass.",
                )],
            },
            Form {
                fields: &[
                    must("check", Kind::Name, "What is looked at: a key of raw_result, or score."),
                    must("expected", Kind::Scalar, "The exact value that it must have; another type never equals it."),
                ],
            },
        ],
    },
    Type {
        name: "threshold",
        semantics: SEMANTICS,
        doc: "One run with a number on the right side of a boundary is enough.",
        forms: &[Form {
            fields: &[
                must("metric", Kind::Name, METRIC),
                must("threshold", Kind::Number, "The boundary."),
                may(
                    "operator",
                    Kind::Words(&Operator::WORDS),
                    "How the number compares with it. gte if it is not said.",
                ),
            ],
        }],
    },
    Type {
        name: "statistical",
        semantics: SEMANTICS,
        doc: "A part of all runs must pass. Errors count as failures; undetermined runs do not count.",
        forms: &[Form { fields: &[must("min_runs", Kind::Runs, MIN_RUNS), must("min_pass_rate", Kind::Unit, RATE)] }],
    },
    Type {
        name: "composite",
        semantics: SEMANTICS,
        doc: "One run of which all rules hold is enough.",
        forms: &[Form { fields: &[must("rules", Kind::Rules, "Rules that must all hold of the same run.")] }],
    },
    Type {
        name: "agent_judgment",
        semantics: SEMANTICS,
        doc: "A judge gives each run a verdict and says how sure it is; one pass that it is sure of is enough.",
        forms: &[Form {
            fields: &[
                must("confidence_pass", Kind::Unit, "How sure a pass must be to count, from 0 to 1."),
                must(
                    "confidence_fail",
                    Kind::Unit,
                    "A fail counts when the chance of a pass that it leaves is at most this; not above confidence_pass.",
                ),
                must("min_runs", Kind::Runs, MIN_RUNS),
            ],
        }],
    },
    Type {
        name: "wilson",
        semantics: STATISTICS,
        doc: "The lower end of Wilson's interval of the pass rate must reach a target. Errors count as failures; undetermined runs do not count.",
        forms: &[Form {
            fields: &[
                must("min_runs", Kind::Runs, MIN_RUNS),
                must(
                    "target",
                    Kind::Open,
                    "The rate that the lower end must reach; failed when the upper end is below it.",
                ),
                must("confidence", Kind::Open, LEVEL),
            ],
        }],
    },
    Type {
        name: "sprt",
        semantics: STATISTICS,
        doc: "A sequential test of two rates, which may be looked at after each run. Errors count as failures; undetermined runs do not count.",
        forms: &[Form {
            fields: &[
                must("p0", Kind::Open, "A pass rate that is not good enough."),
                must("p1", Kind::Open, "A pass rate that is; above p0."),
                must("alpha", Kind::Open, "How often a product at p0 may ever be called good."),
                must(
                    "beta",
                    Kind::Open,
                    "How often a product at p1 may ever be called bad; alpha and beta are less than 1 together.",
                ),
            ],
        }],
    },
    Type {
        name: "pass_k",
        semantics: STATISTICS,
        doc: "The lower end of the interval of the chance that k tries all pass must reach a target. Errors count as failures; undetermined runs do not count.",
        forms: &[Form {
            fields: &[
                must("k", Kind::Runs, "How many tries must all pass."),
                must("min_runs", Kind::Runs, "How many runs there must be before anything is judged; at least k."),
                must(
                    "target",
                    Kind::Open,
                    "The chance that the lower end must reach; failed when the upper end is below it.",
                ),
                must("confidence", Kind::Open, LEVEL),
            ],
        }],
    },
    Type {
        name: "planned_runs",
        semantics: STATISTICS,
        doc: "A part of as many runs as were declared beforehand must pass; later runs open a new series. Whatever did not pass counts against.",
        forms: &[Form {
            fields: &[
                must("planned", Kind::Runs, "How many runs a series has."),
                must("min_pass_rate", Kind::Unit, RATE),
            ],
        }],
    },
];

/// The forms of a rule.
pub static RULE: [Form; 3] = [
    Form { fields: &[must("metric", Kind::Name, IN_RAW), must("min", Kind::Number, "The least that it may be.")] },
    Form {
        fields: &[
            must("metric", Kind::Name, IN_RAW),
            must("min_pct", Kind::Percent, "The least that it may be, on a scale of 0 to 100."),
        ],
    },
    Form { fields: &[must("check", Kind::Name, "A key of raw_result that must be true.")] },
];

/// Every field of some forms, by name.
pub(super) fn names(forms: &'static [Form]) -> impl Iterator<Item = &'static str> {
    forms.iter().flat_map(|form| form.fields).map(|field| field.name)
}
