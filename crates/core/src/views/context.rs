//! adapter-context.json and plan-audit-summary.json.

use crate::audit::Identity;
use crate::ids::Digest;
use crate::json::Json;
use crate::judged::Judged;

/// What was known of the environment.
pub(super) fn adapter_context(judged: &Judged) -> Json {
    let audited = judged.audited();
    let environment = audited.checked().environment();
    let or_unconfirmed = |value: &Option<String>| value.clone().unwrap_or_else(|| "unconfirmed".to_owned());
    let identity = |read: &Option<Identity>| match read {
        Some(Identity::Build(build)) => Json::map([("build", Json::from(build.as_str())), ("error", Json::Null)]),
        Some(Identity::Unread(why)) => Json::map([("build", Json::Null), ("error", why.as_str().into())]),
        None => Json::Null,
    };
    let boundary = Json::map([
        ("runtime_mode", Json::from(or_unconfirmed(&environment.kind))),
        ("data_boundary_status", or_unconfirmed(&environment.data).into()),
        ("data_boundaries", Json::List(environment.data.iter().map(Json::from).collect())),
    ]);
    Json::map([
        ("schema_version", Json::from(1)),
        ("adapter", "probity".into()),
        ("base_url", environment.url.clone().into()),
        ("environment_boundary", boundary),
        ("environment_boundary_confirmed", environment.is_confirmed().into()),
        ("environment", environment.to_json()),
        ("identity_before", identity(&audited.runtime().before)),
        ("identity_after", identity(&audited.runtime().after)),
        ("services", super::services::known(judged)),
        ("input_artifact_errors", Json::List(Vec::new())),
    ])
}

/// The plan check, in the reference's words.
pub(super) fn plan_audit(judged: &Judged) -> Json {
    let checked = judged.audited().checked();
    crate::dimensions::plan_audit_summary(
        checked.plan(),
        checked.matrix(),
        checked.findings(),
        Digest::of(checked.plan_text().as_bytes()),
        Digest::of(checked.matrix_text().as_bytes()),
    )
}
