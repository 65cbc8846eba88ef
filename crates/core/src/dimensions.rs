//! Strategy dimensions: which kinds of proof the tests ask for and the steps give, and the plan audit that says so
//! (harness-planning.md 4.3 and 4.4).
//!
//! A test asks by its type and its required evidence, a step gives by its action, its evidence type and its declared
//! dimensions. Words never count: neither a text that mentions a dimension nor what a step says it proves.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::ids::{Digest, Id};
use crate::json::{Json, Map};
use crate::matrix::{Matrix, Test};
use crate::plan::{Plan, Step};

/// The dimensions, in the order of every list.
pub const DIMENSIONS: [&str; 70] = [
    "logic",
    "calculation",
    "ui",
    "interaction",
    "optimistic_ui",
    "schema_migration",
    "authorization_policy",
    "financial_ledger",
    "quota_metering",
    "transaction_integrity",
    "subscription_billing",
    "agent_tool",
    "artifact_generation",
    "analytics",
    "offline_sync",
    "background_sync",
    "service_worker",
    "local_storage",
    "conflict_resolution",
    "cache_consistency",
    "webhook_security",
    "accessibility",
    "localization",
    "bulk_action",
    "destructive_guard",
    "undo",
    "concurrency",
    "scheduled_job",
    "background_job",
    "worker",
    "retry",
    "feature_flag",
    "rollout",
    "csrf",
    "session_security",
    "cookie_security",
    "oauth",
    "redirect_security",
    "saml",
    "webauthn",
    "mfa",
    "one_time_token",
    "api_key",
    "audit_integrity",
    "privacy_compliance",
    "graphql",
    "rag_grounding",
    "rate_limit",
    "realtime",
    "multi_client",
    "ordering",
    "reconnect",
    "api",
    "search_relevance",
    "pagination",
    "download",
    "file_content",
    "file_security",
    "file_preview",
    "notification",
    "notification_policy",
    "idempotency",
    "data_isolation",
    "time_boundary",
    "stream",
    "persistence",
    "permission",
    "runtime",
    "responsive",
    "cleanup",
];

/// Layers that a criterion may demand and that are no dimension themselves, with the dimensions that each stands for.
const FURTHER_LAYERS: [(&str, &[&str]); 14] = [
    ("ui_to_api", &["interaction", "api"]),
    ("api_followup", &["api"]),
    ("api_poll", &["api"]),
    ("websocket", &["stream"]),
    ("sse", &["stream"]),
    ("code_pr", &["logic"]),
    ("command", &[]),
    ("upload", &[]),
    ("audit_log", &[]),
    ("input", &[]),
    ("business_revocation", &[]),
    ("validation", &[]),
    ("error", &[]),
    ("regression", &[]),
];

/// Names of evidence and of seed-form tests that are no layer.
const OTHER_NAMES: [(&str, &[&str]); 4] = [
    ("api_response", &["api"]),
    ("ui_interaction", &["interaction"]),
    ("database", &["persistence"]),
    ("db", &["persistence"]),
];

/// Layers that a criterion may demand: the types of harness-planning.md 6.2 and 6.3, `error` and `regression`.
pub fn layers() -> impl Iterator<Item = &'static str> {
    DIMENSIONS.into_iter().chain(FURTHER_LAYERS.into_iter().map(|(name, _)| name))
}

/// Dimensions that one name of a test type, evidence type or evidence layer stands for.
fn dimensions_of(name: &str) -> impl Iterator<Item = &'static str> {
    let itself = DIMENSIONS.into_iter().filter(move |dimension| *dimension == name);
    let other = FURTHER_LAYERS.into_iter().chain(OTHER_NAMES).filter(move |(known, _)| *known == name);
    itself.chain(other.flat_map(|(_, dimensions)| dimensions.iter().copied()))
}

/// Dimensions that a test asks for.
#[must_use]
pub fn planned(test: &Test) -> BTreeSet<&'static str> {
    std::iter::once(&test.kind).chain(&test.required_evidence).flat_map(|name| dimensions_of(name)).collect()
}

/// Dimensions that a step gives.
#[must_use]
pub fn given(step: &Step) -> BTreeSet<&'static str> {
    let by_action: &[&'static str] = match step.action_name {
        "api" | "pollApi" => &["api"],
        "cleanupApi" => &["api", "cleanup"],
        _ => &[],
    };
    let named = std::iter::once(&step.evidence_type).chain(&step.dimensions).flat_map(|name| dimensions_of(name));
    by_action.iter().copied().chain(named).collect()
}

/// What is known of one dimension.
#[derive(Default)]
struct Row<'a> {
    planned: Vec<&'a Test>,
    shown: Vec<&'a Test>,
    /// Tests with a step that gives the dimension, asked for or not.
    observed: Vec<&'a Test>,
}

/// `strategy_coverage` of plan-audit-summary.json. Dimensions that nothing asks for or gives are left out.
#[must_use]
pub fn strategy_coverage(plan: &Plan, matrix: &Matrix) -> Json {
    let given = given_to_tests(plan);
    let mut rows: BTreeMap<usize, Row<'_>> = BTreeMap::new();
    for test in &matrix.tests {
        let planned = planned(test);
        let shown = given.get(&test.id);
        for (i, dimension) in DIMENSIONS.iter().enumerate() {
            let (asked, seen) = (planned.contains(dimension), shown.is_some_and(|given| given.contains(dimension)));
            if !asked && !seen {
                continue;
            }
            let row = rows.entry(i).or_default();
            if asked {
                row.planned.push(test);
            }
            if asked && seen {
                row.shown.push(test);
            }
            if seen {
                row.observed.push(test);
            }
        }
    }
    let gaps: Vec<Json> = gaps(&rows).map(|(i, row)| gap(DIMENSIONS[i], row)).collect();
    let names = |keep: fn(&Row<'_>) -> bool| -> Json {
        rows.iter().filter(|(_, row)| keep(row)).map(|(i, _)| DIMENSIONS[*i]).collect::<Vec<_>>().into()
    };
    let dimensions: Map = rows.iter().map(|(i, row)| (DIMENSIONS[*i], row_json(row))).collect();
    Json::map([
        ("dimension_order", Json::list(DIMENSIONS)),
        ("dimensions", dimensions.into()),
        ("covered_dimensions", names(|row| !row.shown.is_empty())),
        ("observed_dimensions", names(|row| !row.observed.is_empty())),
        ("gap_count", gaps.len().into()),
        ("gaps", gaps.into()),
    ])
}

fn given_to_tests(plan: &Plan) -> BTreeMap<&Id, BTreeSet<&'static str>> {
    let mut by_test: BTreeMap<&Id, BTreeSet<&'static str>> = BTreeMap::new();
    for step in plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let given = given(step);
        for test in &step.test_ids {
            by_test.entry(test).or_default().extend(&given);
        }
    }
    by_test
}

fn gaps<'r, 'a>(rows: &'r BTreeMap<usize, Row<'a>>) -> impl Iterator<Item = (usize, &'r Row<'a>)> {
    rows.iter().filter(|(_, row)| !row.planned.is_empty() && row.shown.is_empty()).map(|(i, row)| (*i, row))
}

fn gap(dimension: &str, row: &Row<'_>) -> Json {
    Json::map([
        ("dimension", Json::from(dimension)),
        ("reason", "no_executable_probe".into()),
        ("planned_count", row.planned.len().into()),
        ("test_ids", ids(&row.planned)),
    ])
}

fn row_json(row: &Row<'_>) -> Json {
    let status = |wanted: &str| row.planned.iter().filter(|test| test.planned_status == wanted).count();
    let none: Vec<Json> = Vec::new();
    Json::map([
        ("planned_count", Json::from(row.planned.len())),
        ("executable_count", row.shown.len().into()),
        ("observed_executable_count", row.observed.len().into()),
        ("incidental_executable_count", 0_u32.into()),
        ("blocked_count", status("Blocked").into()),
        ("untested_count", status("Untested").into()),
        ("inconclusive_count", status("Inconclusive").into()),
        ("test_ids", ids(&row.planned)),
        ("executable_test_ids", ids(&row.shown)),
        ("observed_test_ids", ids(&row.observed)),
        ("incidental_test_ids", none.into()),
    ])
}

fn ids(tests: &[&Test]) -> Json {
    Json::list(tests.iter().map(|test| &test.id))
}

/// plan-audit-summary.json: what the plan check found and how much of the strategy the plan can show. The digests
/// are of the two views beside it.
#[must_use]
pub fn plan_audit_summary(
    plan: &Plan,
    matrix: &Matrix,
    findings: &[Diagnostic],
    plan_sha256: Digest,
    matrix_sha256: Digest,
) -> Json {
    let coverage = strategy_coverage(plan, matrix);
    let mapped: BTreeSet<&Id> =
        plan.scenarios.iter().flat_map(|scenario| &scenario.steps).flat_map(|step| &step.test_ids).collect();
    let tests: Vec<&Test> = matrix.tests.iter().filter(|test| mapped.contains(&test.id)).collect();
    let criteria = matrix.criteria.iter().filter(|criterion| {
        tests.iter().any(|t| t.requirement_ids.contains(&criterion.id) || criterion.test_ids.contains(&t.id))
    });
    let of = |severity| -> Vec<Json> { findings.iter().filter(|f| f.severity == severity).map(line).collect() };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let gaps = coverage.get("gaps").and_then(Json::as_list).unwrap_or_default();
    let gap_names: Vec<Json> = gaps.iter().filter_map(|gap| gap.get("dimension").cloned()).collect();
    let none: Vec<Json> = Vec::new();
    Json::map([
        ("schema_version", Json::from(1_u32)),
        ("plan", "test-plan.json".into()),
        ("matrix", "test-matrix.json".into()),
        (
            "artifact_hashes",
            Json::map([("plan_sha256", Json::from(plan_sha256)), ("matrix_sha256", matrix_sha256.into())]),
        ),
        ("requirement_count", matrix.criteria.len().into()),
        ("test_count", matrix.tests.len().into()),
        ("scenario_count", plan.scenarios.len().into()),
        ("step_count", plan.scenarios.iter().map(|scenario| scenario.steps.len()).sum::<usize>().into()),
        ("mapped_executable_test_count", tests.len().into()),
        ("mapped_executable_requirement_count", criteria.count().into()),
        ("storage_state_check_count", 0_u32.into()),
        ("coverage_sufficient", gap_names.is_empty().into()),
        ("coverage_gap_count", gap_names.len().into()),
        ("coverage_gap_dimensions", gap_names.into()),
        ("passed", errors.is_empty().into()),
        ("errors", errors.into()),
        ("warnings", warnings.into()),
        ("strategy_coverage", coverage),
        ("input_artifact_errors", none.into()),
    ])
}

/// One finding as a line: code, what it is about, what was seen.
fn line(finding: &Diagnostic) -> Json {
    let subject = finding.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
    Json::from(format!("{}: {subject}{}", finding.code, finding.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::World;

    fn names(json: &Json, key: &str) -> Vec<String> {
        let list = json.get(key).and_then(Json::as_list).unwrap();
        list.iter().map(|name| name.as_text().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_order_has_each_name_once() {
        assert_eq!(DIMENSIONS.iter().collect::<BTreeSet<_>>().len(), 70);
        assert_eq!((DIMENSIONS[0], DIMENSIONS[69]), ("logic", "cleanup"));
        let names = layers().chain(OTHER_NAMES.into_iter().map(|(name, _)| name));
        assert_eq!(names.collect::<BTreeSet<_>>().len(), 84 + 4);
        let all = FURTHER_LAYERS.into_iter().chain(OTHER_NAMES).flat_map(|(_, dimensions)| dimensions);
        assert!(all.into_iter().all(|dimension| DIMENSIONS.contains(dimension)));
    }

    #[test]
    fn names_stand_for_dimensions() {
        for (name, dimensions) in [
            ("api", "api"),
            ("api_followup", "api"),
            ("api_poll", "api"),
            ("api_response", "api"),
            ("ui_to_api", "interaction api"),
            ("ui_interaction", "interaction"),
            ("sse", "stream"),
            ("db", "persistence"),
            ("database", "persistence"),
            ("code_pr", "logic"),
            ("command", ""),
            ("nothing", ""),
        ] {
            assert_eq!(dimensions_of(name).collect::<Vec<_>>().join(" "), dimensions, "{name}");
        }
    }

    #[test]
    fn steps_give_by_action_evidence_and_declaration() {
        let mut world = World::sound();
        world.step(2).dimensions.push("persistence".into());
        let coverage = strategy_coverage(&world.plan, &world.matrix);
        assert_eq!(names(&coverage, "covered_dimensions"), ["api", "persistence"]);
        assert_eq!(coverage.get("gap_count").and_then(Json::as_u64), Some(0));
        let api = coverage.get("dimensions").and_then(|d| d.get("api")).unwrap();
        assert_eq!(api.get("executable_count").and_then(Json::as_u64), Some(1));
        assert_eq!(api.as_map().unwrap().len(), 11);
        // Cleanup belongs to no test, so it shows none.
        assert_eq!(given(world.step(3)).into_iter().collect::<Vec<_>>(), ["api", "cleanup"]);
        assert_eq!(names(&coverage, "observed_dimensions"), ["api", "persistence"]);
    }

    #[test]
    fn prose_never_closes_a_gap() {
        let mut world = World::sound();
        world.step(2).proves = "persistence and permission".into();
        world.matrix.tests[0].required_evidence.push("permission".into());
        let coverage = strategy_coverage(&world.plan, &world.matrix);
        let gaps: Vec<_> = coverage.get("gaps").and_then(Json::as_list).unwrap().to_vec();
        let dimensions: Vec<_> = gaps.iter().map(|g| g.get("dimension").unwrap().as_text().unwrap()).collect();
        assert_eq!(dimensions, ["persistence", "permission"]);
        assert_eq!(gaps[0].get("reason").and_then(Json::as_text), Some("no_executable_probe"));
        world.step(1).dimensions.push("permission".into());
        let coverage = strategy_coverage(&world.plan, &world.matrix);
        assert_eq!(coverage.get("gap_count").and_then(Json::as_u64), Some(1));
    }

    #[test]
    fn the_summary_has_exactly_the_known_fields() {
        let mut world = World::sound();
        world.step(0).checks.clear();
        world.step(3).checks.clear();
        let findings = world.findings();
        let digest = Digest::of(b"x");
        let summary = plan_audit_summary(&world.plan, &world.matrix, &findings, digest, digest);
        let keys: Vec<&str> = summary.as_map().unwrap().iter().map(|(key, _)| key).collect();
        assert_eq!(
            keys.join(" "),
            "schema_version plan matrix artifact_hashes requirement_count test_count scenario_count step_count \
             mapped_executable_test_count mapped_executable_requirement_count storage_state_check_count \
             coverage_sufficient coverage_gap_count coverage_gap_dimensions passed errors warnings strategy_coverage \
             input_artifact_errors"
        );
        let count = |key: &str| summary.get(key).and_then(Json::as_u64);
        assert_eq!((count("requirement_count"), count("test_count"), count("step_count")), (Some(2), Some(2), Some(5)));
        assert_eq!(count("mapped_executable_requirement_count"), Some(2));
        assert_eq!(summary.get("passed"), Some(&Json::Bool(false)));
        assert_eq!(summary.get("coverage_sufficient"), Some(&Json::Bool(false)));
        let lines = names(&summary, "errors");
        assert!(lines.len() == 1 && lines[0].starts_with("step_asserts_nothing: A.1: "), "{lines:?}");
        assert_eq!(names(&summary, "warnings").len(), 1);
    }
}
