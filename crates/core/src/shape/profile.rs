//! Tables of the settings file `probity.yaml`, which `qa-pilot.config.yaml` shares (design.md section 8).

use super::{Shape, TEXTS, Table, may, must, table};
use crate::journal::opened::MOST_JOBS;
use crate::judge::Mutation;

const REFERENCE: &str = "A section of the reference tool's host profile; checked by the commands that need it.";

/// The settings file.
pub static PROFILE: Table = Table {
    name: "settings",
    doc: "Settings of a project: environments, services, allowed commands and limits.",
    parts: &[
        &[
            may("version", Shape::Version(1), "The version of this file. Always 1."),
            may(
                "default_environment",
                Shape::Text,
                "The environment that is used when neither flag nor plan names one.",
            ),
            may("environments", Shape::Map(&Shape::Table(&ENVIRONMENT)), "Where plans may run, by name."),
            may("services", Shape::List(&Shape::Table(&SERVICE)), "Services that a run may need, and how they start."),
            may("commands", Shape::Table(&COMMANDS), "Which programs plans may run beyond the shipped list."),
            may("limits", Shape::Table(&LIMITS), "Limits of one call, for all its plans together."),
            may("mutation", Shape::Map(&Shape::Data), "Signatures and deny lists of the write guard."),
            may("secrets", Shape::Data, "Where secrets stand, so that they can be hidden. Read by a later build."),
            may("stores", Shape::Data, "Where runs are kept. Read by a later build."),
            may("judges", Shape::Map(&Shape::Table(&JUDGE)), "Programs that judge what rules cannot, by name."),
            may("trackers", Shape::Data, "Where defects are reported. Read by a later build."),
        ],
        &[
            may("project", Shape::Data, REFERENCE),
            may("tracker", Shape::Data, REFERENCE),
            may("apps", Shape::Data, REFERENCE),
            may("stabilization", Shape::Data, REFERENCE),
            may("auth", Shape::Data, REFERENCE),
            may("assertions", Shape::Data, REFERENCE),
            may("evidence", Shape::Data, REFERENCE),
            may("selectors", Shape::Data, REFERENCE),
            may("models", Shape::Data, REFERENCE),
            may("sandbox", Shape::Data, REFERENCE),
            may("context", Shape::Data, REFERENCE),
            may("cross_app", Shape::Data, REFERENCE),
            may("clickup", Shape::Data, REFERENCE),
        ],
    ],
    both_cases: false,
    free_prefix: Some("x_"),
};

/// An environment.
pub static ENVIRONMENT: Table = Table {
    name: "environment",
    doc: "Which system a run may touch, and whose data it holds.",
    parts: &[
        &[
            may("name", Shape::Text, "Its name, where it is written in a plan."),
            may(
                "kind",
                Shape::Words(&["local", "ci", "qa", "staging", "production"]),
                "What the target is. Under production a plan must declare a write policy.",
            ),
            may("url", Shape::Text, "What paths of a plan are resolved against: an origin, perhaps with a path."),
            may("origins", Shape::List(&Shape::Text), "Every origin that may be touched, beside that of url."),
            may(
                "data",
                Shape::Words(&["disposable", "seeded", "shared", "live", "mock"]),
                "Whose data it holds. Mock data caps the claim unless the requirement accepts it.",
            ),
            may("identity", Shape::Table(&IDENTITY), "How the running system says which build it is."),
            may("tls", Shape::Table(&ENVIRONMENT_TLS), "How TLS connections to it are checked."),
        ],
        &[
            may(
                "apps",
                Shape::Map(&Shape::Text),
                "URLs of the host profile's apps. Without url and origins, their origins count.",
            ),
            may("evidence_upload", Shape::Data, REFERENCE),
            may("test_account", Shape::Data, REFERENCE),
            may("allow_production", Shape::Data, REFERENCE),
            may(
                "sha_source",
                Shape::Map(&Shape::Data),
                "The host profile's way to read the build; used where identity is absent.",
            ),
        ],
    ],
    both_cases: false,
    free_prefix: Some("x_"),
};

static IDENTITY: Table = table(
    "identity",
    "The request that reads which build is running: exactly one of json and regex says where it stands.",
    &[&[
        must("http", Shape::Text, "`GET /version`, a path, or a URL. Always fetched with GET."),
        may("json", Shape::Text, "Path into the JSON answer."),
        may("regex", Shape::Text, "Pattern with one group over the text of the answer."),
    ]],
);

static ENVIRONMENT_TLS: Table = table(
    "environment tls",
    "How TLS connections to the environment are checked.",
    &[&[may(
        "insecure",
        Shape::Bool,
        "Do not check certificates here. Declared here, it is recorded and does not cap the claim.",
    )]],
);

/// A service.
pub static SERVICE: Table = table(
    "service",
    "A service that a run starts before its first step and ends after its last, where a plan needs it: it serves an origin \
     of the environment, a log step names it, or a needed service needs it.",
    &[&[
        must("id", Shape::Id, "The service's id, unique in this file."),
        must(
            "start",
            Shape::Some(&Shape::Text),
            "The program and its arguments, one list item each. No shell reads them, and none may destroy.",
        ),
        may(
            "ready",
            Shape::Either(&[Shape::Text, Shape::Table(&READY)]),
            "What answers once it is ready: a path on its port, a URL of this machine, or {http} or {tcp}. By default a \
             connection to its port.",
        ),
        may(
            "port",
            Shape::Integer(1, 65_535),
            "The port that it opens. One that answers before the start blocks the run.",
        ),
        may("timeout", Shape::Duration, "How long it may take to become ready. By default 45s."),
        may("grace", Shape::Duration, "Time from TERM to KILL when it is ended. By default 6s."),
        may(
            "adopt",
            Shape::Bool,
            "Use it when it already runs. The subject is then only declared, and it is not ended.",
        ),
        may("cwd", Shape::Text, "Working folder inside the project. By default the project's folder."),
        may(
            "env",
            Shape::Map(&Shape::Either(&[Shape::Text, Shape::Map(&Shape::Text)])),
            "Added environment: texts, or {env: NAME} for a credential.",
        ),
        may("needs", TEXTS, "Services that must be ready before it."),
    ]],
);

static READY: Table = table(
    "service ready",
    "What shows that a service is ready: exactly one of these.",
    &[&[
        may(
            "http",
            Shape::Text,
            "A path on its port, or a URL of this machine, that answers below 400, or with 401 or 403.",
        ),
        may("tcp", Shape::Integer(1, 65_535), "A port that takes connections."),
    ]],
);

static JUDGE: Table = table(
    "judge",
    "A program that is shown a criterion and evidence and answers with a verdict (docs/judges.md). It runs under the limits of \
     commands; `probity judge run` asks it.",
    &[&[
        must(
            "run",
            Shape::Some(&Shape::Text),
            "The program and its arguments, one list item each. No shell reads them. Files of the project among them belong \
             to the judge's digest.",
        ),
        must(
            "by",
            Shape::Text,
            "Who answers for its judgement: the model, person or team. Never who made what is judged.",
        ),
        may("timeout", Shape::Duration, "How long one answer may take. By default 60s."),
        may(
            "controls",
            Shape::Some(&Shape::Words(&Mutation::WORDS)),
            "How evidence is made bad to try the judge: blank, inverted, shifted, removed; one of them is drawn for each \
             judgement. By default blank. A judge that passes it has no vote.",
        ),
        may("pin", Shape::Text, "The digest that the judge must have; probity judge list shows it."),
        may("cwd", Shape::Text, "Working folder inside the project. By default the project's folder."),
        may(
            "env",
            Shape::Map(&Shape::Either(&[Shape::Text, Shape::Map(&Shape::Text)])),
            "Added environment: texts, or {env: NAME} for a credential.",
        ),
    ]],
);

static COMMANDS: Table = table(
    "commands",
    "Which programs plans may run.",
    &[&[may("allow", Shape::List(&Shape::Table(&ALLOWED)), "Programs beyond the shipped list.")]],
);

static ALLOWED: Table = table(
    "allowed command",
    "A program and the arguments that it may be called with.",
    &[&[
        must("program", Shape::Text, "The program as the plan writes it first in `run`."),
        may(
            "args",
            Shape::List(&Shape::Text),
            "A glob for each argument; a last `**` stands for any further ones. Absent: no argument.",
        ),
        may("reads", Shape::Bool, "Whether the call only reads, so that it may be made under a read-only policy."),
    ]],
);

static LIMITS: Table = table(
    "limits",
    "Limits of one call.",
    &[&[
        may("time", Shape::Duration, "Time, such as 30m."),
        may("probes", Shape::Integer(1, i64::MAX), "Number of requests and commands."),
        may("output", Shape::Size, "Output of commands, such as 64MiB."),
        may("jobs", Shape::Integer(1, MOST_JOBS as i64), "How many cases of a plan are run side by side. Absent: one."),
    ]],
);
