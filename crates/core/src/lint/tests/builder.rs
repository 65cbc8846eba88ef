//! A small world that breaks no rule, to be changed by each row.

use super::super::{FileFact, LintInput, check};
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Place;
use crate::environment::{AllowedCommand, Declared, Environment, Origin};
use crate::expect::{Channel, Check, Expect, Op, What};
use crate::ids::Id;
use crate::json::Json;
use crate::matrix::{Criterion, Matrix, Test};
use crate::path::{Path, PathSteps};
use crate::plan::{
    Action, Body, CommandStep, EnvironmentRef, Grants, HttpStep, HttpVersion, LogStep, Obligation, ObligationKind,
    Plan, Save, SaveFrom, Scenario, Step, Used,
};
use crate::service::{Ready, Service};

pub(super) fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

pub(super) fn path(text: &str) -> Path {
    let names = if text == "$" { Vec::new() } else { text.split('.').map(str::to_owned).collect() };
    Path { text: text.to_owned(), steps: PathSteps::Names(names) }
}

pub(super) fn var(name: &str) -> Json {
    Json::map([("$var", name)])
}

pub(super) fn env(name: &str) -> Json {
    Json::map([("$env", name)])
}

pub(super) fn number(n: i64) -> Json {
    Json::from(n)
}

pub(super) fn at(line: usize) -> Place {
    Place::new(line * 100, line * 100 + 50, line, 1)
}

pub(super) fn check_of(what: What) -> Check {
    Check { what, place: at(90) }
}

pub(super) fn status(codes: &[u16]) -> Check {
    check_of(What::Status(codes.to_vec()))
}

pub(super) fn json(at: &str, op: Op) -> Check {
    check_of(What::Json(Channel::Body, vec![(path(at), Expect(vec![op]))]))
}

pub(super) fn equals(at: &str, value: impl Into<Json>) -> Check {
    json(at, Op::Equals(value.into()))
}

pub(super) fn save(name: &str, from: &str) -> Save {
    Save { name: name.into(), from: SaveFrom::Json(path(from)), place: at(91) }
}

pub(super) fn shows(kind: ObligationKind) -> Obligation {
    Obligation { kind, path: None, values: Vec::new(), of: Vec::new(), place: at(92) }
}

/// A service of the settings file.
fn service(id: &str) -> Service {
    Service {
        id: self::id(id),
        start: vec!["a".into()],
        ready: Ready::Started,
        port: None,
        timeout_ms: 1,
        grace_ms: 1,
        cwd: ".".into(),
        env: Vec::new(),
        adopt: false,
        needs: Vec::new(),
    }
}

/// A look into the log of a service.
pub(super) fn log(name: &str, service: &str, checks: Vec<Check>) -> Step {
    let mut step = step_of(name, Action::Log(LogStep { service: id(service), poll: None }));
    step.checks = checks;
    step
}

pub(crate) fn used(case: &str) -> Used {
    Used { case: id(case), place: at(6) }
}

pub(super) fn step_of(name: &str, action: Action) -> Step {
    let (action_name, evidence) = match &action {
        Action::Http(_) => ("api", "api_response"),
        Action::Command(_) => ("command", "command"),
        Action::Log(_) => ("log", "log"),
    };
    Step {
        id: id(name),
        title: None,
        action,
        action_name,
        test_ids: Vec::new(),
        requirement_ids: Vec::new(),
        evidence_type: evidence.into(),
        proves: String::new(),
        dimensions: Vec::new(),
        always_run: false,
        skip_if_missing_vars: false,
        continue_on_failure: false,
        idempotent: false,
        timeout_ms: 30_000,
        checks: Vec::new(),
        saves: Vec::new(),
        records: Vec::new(),
        obligations: Vec::new(),
        place: at(10),
    }
}

pub(super) fn http(name: &str, method: &str, target: &str) -> Step {
    let mut step = step_of(
        name,
        Action::Http(HttpStep {
            method: method.into(),
            target: target.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            auth: None,
            follow_redirects: 0,
            cookies: true,
            decompress: true,
            max_body: 10 << 20,
            http_version: HttpVersion::Auto,
            insecure: false,
            ca: None,
            client: None,
            proxy: None,
            unix_socket: None,
            poll: None,
            capture_request: false,
        }),
    );
    step.idempotent = method == "GET";
    step
}

pub(super) fn run(name: &str, argv: &[&str]) -> Step {
    let argv = argv.iter().map(|&arg| Json::from(arg)).collect();
    step_of(
        name,
        Action::Command(CommandStep {
            argv,
            cwd: None,
            env: Vec::new(),
            stdin: None,
            shell: false,
            says_idempotent: false,
        }),
    )
}

pub(super) fn criterion(name: &str, needs: &str, text: &str) -> Criterion {
    Criterion {
        id: id(name),
        text: text.into(),
        source: String::new(),
        needs: vec![needs.into()],
        about_status: false,
        test_ids: vec![id(&format!("A.{name}.{needs}"))],
        planned_status: "Untested".into(),
        span: None,
        source_sha256: None,
        place: at(2),
    }
}

pub(super) fn test_of(name: &str, layer: &str) -> Test {
    Test {
        id: id(&format!("A.{name}.{layer}")),
        requirement_ids: vec![id(name)],
        kind: layer.into(),
        steps: Vec::new(),
        expected: "It is as the criterion says.".into(),
        required_evidence: vec![layer.into()],
        planned_status: "Untested".into(),
        place: at(3),
    }
}

pub(super) fn map(mut step: Step, name: &str, layer: &str) -> Step {
    step.test_ids.push(id(&format!("A.{name}.{layer}")));
    step.requirement_ids.push(id(name));
    step.proves = "what the criterion says".into();
    step
}

/// Plan, matrix and surroundings. Steps: 1 POST, 2 GET with marker, 3 run for persistence, 4 and 5 cleanup.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) matrix: Matrix,
    pub(crate) environment: Environment,
    pub(crate) known: bool,
    pub(crate) commands: Vec<AllowedCommand>,
    pub(crate) services: Vec<Service>,
    pub(crate) mutation_rules: Option<Json>,
    pub(crate) texts: Vec<(&'static str, &'static str)>,
    pub(crate) written: bool,
}

impl World {
    pub(crate) fn sound() -> Self {
        let mut post = map(http("A.1", "POST", "/orders"), "R-1", "api");
        post.checks = vec![status(&[201]), equals("total", Json::from(crate::json::Number::parse("29.97").unwrap()))];
        post.saves = vec![save("order", "id"), save("shown", "total")];
        let mut get = map(http("A.2", "GET", "/orders/{order}"), "R-1", "api");
        get.checks = vec![status(&[200]), equals("note", var("qa_marker"))];
        get.obligations = vec![shows(ObligationKind::Marker)];
        let mut read = map(run("A.3", &["python3", "tools/read.py"]), "R-2", "persistence");
        read.checks = vec![
            check_of(What::Exit(vec![0])),
            check_of(What::Json(Channel::Stdout, vec![(path("total"), Expect(vec![Op::Equals(var("shown"))]))])),
        ];
        read.obligations = vec![shows(ObligationKind::Persistence)];
        let mut delete = cleanup(http("A.4", "DELETE", "/orders/{order}"));
        delete.checks = vec![status(&[204, 404])];
        let mut gone = cleanup(http("A.5", "GET", "/orders/{order}"));
        gone.action_name = "api";
        gone.checks = vec![status(&[404])];
        gone.obligations = vec![shows(ObligationKind::Absence)];
        let mut world = Self {
            plan: Plan {
                environment: EnvironmentRef::Named("local".into(), at(1)),
                base_url: None,
                vars: Vec::new(),
                grants: Grants::default(),
                mutation: None,
                scenarios: vec![Scenario {
                    id: id("A"),
                    title: "the total survives".into(),
                    continue_on_failure: false,
                    uses: Vec::new(),
                    steps: vec![post, get, read, delete, gone],
                    not_claimed: Vec::new(),
                    place: at(5),
                }],
            },
            matrix: Matrix {
                criteria: vec![
                    criterion("R-1", "api", "Placing an order answers 201 with its total."),
                    criterion("R-2", "persistence", "The stored total equals the total shown."),
                ],
                tests: vec![test_of("R-1", "api"), test_of("R-2", "persistence")],
                ..Matrix::default()
            },
            environment: Environment {
                name: Some("local".into()),
                kind: Some("local".into()),
                url: Some("http://127.0.0.1:8123".into()),
                origins: vec![Origin { scheme: "http".into(), host: "127.0.0.1".into(), port: 8123 }],
                data: Some("shared".into()),
                identity: None,
                insecure: false,
                declared: Declared::Profile,
            },
            known: true,
            commands: Vec::new(),
            services: vec![service("shop")],
            mutation_rules: None,
            texts: Vec::new(),
            written: true,
        };
        world.body(0, Json::map([("sku", Json::from("MUG-1")), ("note", var("qa_marker"))]));
        world.command(2).stdin = Some(Json::map([("id", var("order"))]));
        world
    }

    /// Adds a copy of the case under the id B, steps under ids of their own.
    pub(crate) fn second(&mut self) -> &mut Scenario {
        let mut second = self.plan.scenarios[0].clone();
        second.id = id("B");
        for (n, step) in second.steps.iter_mut().enumerate() {
            step.id = id(&format!("B{}.{}", self.plan.scenarios.len(), n + 1));
        }
        second.uses.clear();
        self.plan.scenarios.push(second);
        self.plan.scenarios.last_mut().unwrap()
    }

    pub(crate) fn step(&mut self, at: usize) -> &mut Step {
        &mut self.plan.scenarios[0].steps[at]
    }

    pub(crate) fn http(&mut self, at: usize) -> &mut HttpStep {
        match &mut self.step(at).action {
            Action::Http(http) => http,
            Action::Command(_) | Action::Log(_) => panic!("step {at} is no request"),
        }
    }

    pub(crate) fn command(&mut self, at: usize) -> &mut CommandStep {
        match &mut self.step(at).action {
            Action::Command(command) => command,
            Action::Http(_) | Action::Log(_) => panic!("step {at} is no command"),
        }
    }

    pub(crate) fn body(&mut self, at: usize, value: Json) {
        self.http(at).body = Some(Body::Json(value));
    }

    pub(crate) fn argv(&mut self, at: usize, argv: &[&str]) {
        self.command(at).argv = argv.iter().map(|&arg| Json::from(arg)).collect();
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.matrix.criteria[0].text = text.to_owned();
    }

    pub(crate) fn findings(&self) -> Vec<Diagnostic> {
        let files = |path: &str| match path {
            "tools/read.py" | "tools" | "schema.json" | "body.bin" | "ca.pem" => FileFact::Inside,
            _ if path.starts_with('/') || path.contains("..") => FileFact::Outside,
            _ => FileFact::Missing,
        };
        check(&LintInput {
            plan: &self.plan,
            matrix: &self.matrix,
            requirement: "",
            environment: &self.environment,
            environment_known: self.known,
            commands: &self.commands,
            services: &self.services,
            mutation_rules: self.mutation_rules.as_ref(),
            files: &files,
            written: self.written,
            texts: &self.texts,
            file: "a.probity.yaml",
        })
    }

    pub(crate) fn codes(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = self.findings().into_iter().map(|finding| finding.code).collect();
        codes.dedup();
        codes
    }

    pub(crate) fn severity(&self, code: Code) -> Option<Severity> {
        self.findings().into_iter().find(|finding| finding.code == code).map(|finding| finding.severity)
    }
}

fn cleanup(mut step: Step) -> Step {
    step.evidence_type = "cleanup".into();
    step.action_name = "cleanupApi";
    step.always_run = true;
    step.skip_if_missing_vars = true;
    step.idempotent = true;
    step
}

pub(crate) fn step_ids(world: &World) -> Vec<&str> {
    world.plan.scenarios[0].steps.iter().map(|step| step.id.as_str()).collect()
}
