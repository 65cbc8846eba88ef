//! service-preflight.json, service-runtime.json, service-runtime-stop.json: what a run did with its services, in the
//! reference's words (harness-planning.md 7.3 and 7.4). Written where the plan needs services.

use super::texts;
use crate::journal::body::Body;
use crate::journal::service::{DownCause, DownStatus, UpState};
use crate::json::Json;
use crate::judged::Judged;
use crate::recorded::ServiceRecord;
use crate::service::{Ready, Service};

/// The files, in the order in which the folder lists them; none where the plan needs no service.
pub(super) fn services(judged: &Judged) -> Vec<(&'static str, Json)> {
    if judged.audited().runtime().services.needed.is_empty() {
        return Vec::new();
    }
    vec![
        ("service-preflight.json", preflight(judged)),
        ("service-runtime.json", runtime(judged)),
        ("service-runtime-stop.json", stop(judged)),
    ]
}

/// The services that the plan needs with their records, in the order of their start.
fn rows(judged: &Judged) -> impl Iterator<Item = (&Service, Option<&ServiceRecord>)> {
    let records = judged.audited().recorded().services();
    let needed = judged.audited().runtime().services.needed.iter();
    needed.map(|service| (service, records.iter().find(|record| record.intent.service == service.id)))
}

/// A service as adapter-context.json names it.
pub(super) fn known(judged: &Judged) -> Json {
    let row = |(service, record): (&Service, Option<&ServiceRecord>)| {
        let occupied = record.map(|record| !record.intent.occupied.is_empty());
        Json::map([
            ("id", Json::from(&service.id)),
            ("role", "service".into()),
            ("path", service.cwd.as_str().into()),
            ("default_url", url(service)),
            ("start_command", service.drawn().into()),
            ("port", service.ports().first().map(|port| u64::from(*port)).into()),
            ("port_open", occupied.into()),
        ])
    };
    Json::List(rows(judged).map(row).collect())
}

/// Where a service answers.
fn url(service: &Service) -> Json {
    match &service.ready {
        Ready::Http(url) => url.as_str().into(),
        Ready::Tcp(_) | Ready::Started => service.ports().first().map(|port| format!("http://127.0.0.1:{port}")).into(),
    }
}

/// Why a service could not be begun with.
fn hindered(record: &ServiceRecord) -> Option<&str> {
    let down = &record.down.as_ref()?.body;
    let before = matches!(down.cause, DownCause::Occupied | DownCause::NotStarted);
    before.then(|| down.message.as_deref().unwrap_or("it could not be started"))
}

fn preflight(judged: &Judged) -> Json {
    let audited = judged.audited();
    let services = &audited.runtime().services;
    let blockers: Vec<String> = rows(judged)
        .filter_map(|(service, record)| Some(format!("{}: {}", service.id, hindered(record?)?)))
        .chain(audited.runtime().unreachable.iter().map(|(origin, _, message)| format!("{origin}: {message}")))
        .collect();
    let warnings = services.adopted.iter().map(|id| format!("{id} runs already and is used"));
    let begun = |record: &&ServiceRecord| record.intent.occupied.is_empty() && hindered(record).is_none();
    let plan = rows(judged).filter_map(|(service, record)| record.filter(begun).map(|_| planned(service)));
    Json::map([
        ("schema_version", Json::from(1)),
        ("adapter", "probity".into()),
        ("base_url", audited.checked().environment().url.clone().into()),
        ("runnable", blockers.is_empty().into()),
        ("required_services", texts(services.needed.iter().map(|service| &service.id))),
        ("services", Json::List(rows(judged).map(|(service, record)| checked(service, record)).collect())),
        ("blockers", texts(blockers)),
        ("warnings", texts(warnings)),
        ("start_plan", Json::List(plan.collect())),
        (
            "safety",
            Json::map([("secret_values_read", false), ("services_started", false), ("default_is_check_only", true)]),
        ),
    ])
}

fn planned(service: &Service) -> Json {
    Json::map([
        ("service", Json::from(&service.id)),
        ("cwd", service.cwd.as_str().into()),
        ("command", Json::list(&service.start)),
        ("reason", "the plan needs it and nothing answers on its ports".into()),
    ])
}

fn checked(service: &Service, record: Option<&ServiceRecord>) -> Json {
    let ports = service.ports();
    let open = record.map(|record| !record.intent.occupied.is_empty());
    let executable = service.start.first().map(|name| crate::recorded::program_name(name));
    let found = record.map(|record| record.started.is_some() || hindered(record).is_none());
    let start = Json::map([
        ("cwd", Json::from(service.cwd.as_str())),
        ("command", Json::list(&service.start)),
        ("command_text", service.drawn().into()),
        ("command_status", Json::map([("executable", Json::from(executable)), ("found", found.into())])),
    ]);
    Json::map([
        ("id", Json::from(&service.id)),
        ("required", true.into()),
        ("path", service.cwd.as_str().into()),
        ("default_url", url(service)),
        ("port", ports.first().map(|port| u64::from(*port)).into()),
        ("port_open", open.into()),
        ("occupied_ports", Json::list(record.iter().flat_map(|r| &r.intent.occupied).map(|port| u64::from(*port)))),
        ("needs", texts(&service.needs)),
        ("start", start),
    ])
}

/// How the start of a service went, in the reference's words.
const fn status(record: &ServiceRecord) -> &'static str {
    if let Some(settled) = &record.settled {
        return match settled.body.state {
            UpState::Adopted => "already_ready",
            UpState::Ready if settled.body.tries == 0 => "started_no_wait",
            UpState::Ready => "ready",
            UpState::Unready | UpState::Started => "unready",
        };
    }
    match &record.down {
        Some(down) => match down.body.cause {
            DownCause::Occupied => "blocked_by_safety",
            DownCause::NotStarted => "failed_to_start",
            _ => "unready",
        },
        None if record.started.is_some() => "started",
        None => "planned",
    }
}

fn runtime(judged: &Judged) -> Json {
    let mut counts = [0u64; 4];
    let mut listed = Vec::new();
    for (service, record) in rows(judged).filter_map(|(service, record)| Some((service, record?))) {
        let status = status(record);
        counts[0] += 1;
        counts[1] += u64::from(record.started.is_some());
        counts[2] += u64::from(matches!(status, "ready" | "started_no_wait" | "already_ready"));
        counts[3] += u64::from(matches!(status, "unready" | "failed_to_start" | "blocked_by_safety"));
        listed.push(started(service, record, status));
    }
    Json::map([
        ("schema_version", Json::from(1)),
        ("mode", "start".into()),
        ("services", Json::List(listed)),
        (
            "summary",
            Json::map(["planned_count", "started_count", "ready_count", "failed_count"].into_iter().zip(counts)),
        ),
        (
            "safety",
            Json::map([
                ("secret_values_read", Json::from(false)),
                ("shell_used", false.into()),
                ("default_is_dry_run", false.into()),
                ("services_started", (counts[1] > 0).into()),
                ("launch_attempted", (counts[0] > 0).into()),
                ("incremental_runtime_persistence", true.into()),
            ]),
        ),
    ])
}

fn started(service: &Service, record: &ServiceRecord, status: &str) -> Json {
    let process = record.process();
    let down = record.down.as_ref().map(|down| &down.body);
    let check = match service.ready {
        Ready::Http(_) => "http",
        Ready::Tcp(_) => "tcp",
        Ready::Started => "none",
    };
    let occupied = !record.intent.occupied.is_empty();
    let settled = record.settled.as_ref();
    let readiness = settled.map_or(Json::Null, |up| {
        let held = up.body.ports.iter().map(|(port, holder)| {
            Json::map([("port", Json::from(u64::from(*port))), ("holder", holder.as_str().into())])
        });
        Json::map([
            ("check", Json::from(check)),
            ("ready", (up.body.state != UpState::Unready).into()),
            ("read", up.body.read.clone().into()),
            ("tries", up.body.tries.into()),
            ("waited_ms", up.body.waited_ms.into()),
            ("ports", Json::List(held.collect())),
        ])
    });
    let kept = down.and_then(|down| down.log.as_ref());
    let log = kept.map_or(Json::Null, Body::write);
    // Both streams go through one pipe, in the order in which they were written.
    let path = || Json::from(kept.map(|log| format!("sha256:{}", log.sha256)));
    let failed = matches!(status, "unready" | "failed_to_start" | "blocked_by_safety");
    let identity = process.map_or(Json::Null, |process| {
        Json::map([
            ("pid", Json::from(process.pid)),
            ("pgid", process.pgid.into()),
            ("command", Json::list(&service.start)),
            ("command_sha256", process.command_sha256.into()),
            ("os_started_at", process.started_ticks.into()),
        ])
    });
    Json::map([
        ("service", Json::from(&service.id)),
        ("reason", "the plan needs it".into()),
        ("cwd", service.cwd.as_str().into()),
        ("command", Json::list(&service.start)),
        ("default_url", url(service)),
        ("pre_start_readiness", Json::map([("check", Json::from("tcp")), ("ready", occupied.into())])),
        ("status", status.into()),
        ("pid", process.map(|process| process.pid).into()),
        ("pgid", process.map(|process| process.pgid).into()),
        ("started_at", record.started.as_ref().map(|up| up.at.as_str()).into()),
        ("ready_at", settled.map(|up| up.at.as_str()).into()),
        ("stdout_log", path()),
        ("stderr_log", path()),
        ("log", log),
        ("started_by", "probity".into()),
        ("process_identity", identity),
        ("post_start_readiness", readiness),
        ("exit_code", down.and_then(|down| down.exit).into()),
        ("error", down.filter(|_| failed).and_then(|down| down.message.clone()).into()),
    ])
}

fn stop(judged: &Judged) -> Json {
    let mut counts = [0u64; 3];
    let mut listed = Vec::new();
    for (service, record) in rows(judged).filter_map(|(service, record)| Some((service, record?))) {
        let down = record.down.as_ref();
        let status = down.map_or(DownStatus::Failed, |down| down.body.status);
        counts[match status {
            DownStatus::Stopped | DownStatus::Killed | DownStatus::AlreadyStopped => 0,
            DownStatus::Skipped => 1,
            DownStatus::BlockedBySafety | DownStatus::Failed => 2,
        }] += 1;
        listed.push(Json::map([
            ("service", Json::from(&service.id)),
            ("pid", record.process().map(|process| process.pid).into()),
            ("command", Json::list(&service.start)),
            ("status", status.as_str().into()),
            ("cause", down.map(|down| down.body.cause.as_str()).into()),
            ("stopped_at", down.map(|down| down.at.as_str()).into()),
            ("exit_code", down.and_then(|down| down.body.exit).into()),
            ("signal", down.and_then(|down| down.body.signal).into()),
            ("left_over", down.map(|down| down.body.left_over).into()),
            ("message", down.and_then(|down| down.body.message.clone()).into()),
        ]));
    }
    Json::map([
        ("schema_version", Json::from(1)),
        ("mode", "stop".into()),
        ("services", Json::List(listed)),
        ("summary", Json::map(["stopped_count", "skipped_count", "failed_count"].into_iter().zip(counts))),
        (
            "safety",
            Json::map([
                ("only_recorded_service_pids", true),
                ("requires_command_match", true),
                ("requires_process_identity_match", true),
                ("requires_process_group_match", true),
            ]),
        ),
    ])
}
