//! Services that a run starts: what the settings file says of one, and which of them a plan needs
//! (docs/decisions/0010-services.md).

use crate::environment::{Environment, Origin, Profile};
use crate::ids::Id;
use crate::invoke::Call;
use crate::json::Json;
use crate::observe::{CommandCall, Field};
use crate::plan::{Action, Plan};

/// How long a service may take to become ready where it does not say, in ms.
pub const READY_MS: u64 = 45_000;

/// Time from TERM to KILL where a service does not say, in ms.
pub const GRACE_MS: u64 = 6000;

/// A service of the settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its id.
    pub id: Id,
    /// The program and its arguments, literally.
    pub start: Vec<String>,
    /// What shows that it is ready.
    pub ready: Ready,
    /// The port that it opens.
    pub port: Option<u16>,
    /// How long it may take to become ready, in ms.
    pub timeout_ms: u64,
    /// Time from TERM to KILL, in ms.
    pub grace_ms: u64,
    /// Working folder relative to the project; `.` is the project.
    pub cwd: String,
    /// Added environment, credentials named.
    pub env: Vec<(String, Field)>,
    /// Whether one that already runs is used. The subject is only declared then.
    pub adopt: bool,
    /// Services that must be ready before it.
    pub needs: Vec<Id>,
}

/// What shows that a service is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// This URL of this machine answers.
    Http(String),
    /// This port of this machine takes connections.
    Tcp(u16),
    /// Nothing is asked: it runs.
    Started,
}

impl Service {
    /// The ports that belong to it, each once.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        let read = match &self.ready {
            Ready::Http(url) => Origin::of(url).ok().map(|origin| origin.port),
            Ready::Tcp(port) => Some(*port),
            Ready::Started => None,
        };
        let mut ports: Vec<u16> = self.port.into_iter().chain(read).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// The command that starts it.
    #[must_use]
    pub fn call(&self) -> CommandCall {
        CommandCall {
            argv: self.start.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            stdin: None,
            timeout_ms: self.timeout_ms,
        }
    }

    /// As entries carry it: the command, and everything that decides how it is started, watched and ended.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::map([
            ("command", Call::Command(self.call()).to_json()),
            ("ready", self.ready.to_json()),
            ("ports", Json::list(self.ports().into_iter().map(u64::from))),
            ("grace_ms", self.grace_ms.into()),
            ("adopt", self.adopt.into()),
        ])
    }

    /// The command as words, for people.
    #[must_use]
    pub fn drawn(&self) -> String {
        self.start.join(" ")
    }

    /// Whether it serves an origin: one of this machine, on a port of its own.
    #[must_use]
    pub fn serves(&self, origin: &Origin) -> bool {
        is_loopback(&origin.host) && self.ports().contains(&origin.port)
    }
}

impl Ready {
    /// As entries carry it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Http(url) => Json::map([("http", url.as_str())]),
            Self::Tcp(port) => Json::map([("tcp", u64::from(*port))]),
            Self::Started => Json::Null,
        }
    }

    /// In a few words: `GET http://127.0.0.1:8123/health`.
    #[must_use]
    pub fn drawn(&self) -> String {
        match self {
            Self::Http(url) => format!("GET {url}"),
            Self::Tcp(port) => format!("a connection to port {port}"),
            Self::Started => "nothing but its process".to_owned(),
        }
    }
}

/// Whether a host of a URL is this machine.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    match url::Host::parse(host) {
        Ok(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Ok(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Ok(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Err(_) => false,
    }
}

/// The services that a plan needs, each after those that it needs itself: whichever serves an origin of the
/// environment, whichever a `log` step names, and what those need.
#[must_use]
pub fn needed<'p>(profile: &'p Profile, environment: &Environment, plan: &Plan) -> Vec<&'p Service> {
    let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let logged: Vec<&Id> = steps
        .filter_map(|step| match &step.action {
            Action::Log(log) => Some(&log.service),
            Action::Http(_) | Action::Command(_) => None,
        })
        .collect();
    let mut found = Vec::new();
    for service in &profile.services {
        if logged.contains(&&service.id) || environment.origins.iter().any(|origin| service.serves(origin)) {
            add(service, profile, &mut found);
        }
    }
    found
}

/// Adds a service after those that it needs. The settings file has no circle of needs, so this ends; a service that is
/// there already is not looked at again.
fn add<'p>(service: &'p Service, profile: &'p Profile, found: &mut Vec<&'p Service>) {
    if found.iter().any(|known| known.id == service.id) || found.len() >= profile.services.len() {
        return;
    }
    for need in service.needs.iter().filter(|need| **need != service.id) {
        if let Some(other) = profile.services.iter().find(|other| other.id == *need) {
            add(other, profile, found);
        }
    }
    if !found.iter().any(|known| known.id == service.id) {
        found.push(service);
    }
}

/// Credentials that services refer to, by the names of their variables.
pub fn credentials_of(profile: &Profile) -> impl Iterator<Item = &str> {
    profile.services.iter().flat_map(|service| &service.env).filter_map(|(_, field)| match field {
        Field::Secret(_, name) => Some(name.as_str()),
        Field::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(id: &str, port: Option<u16>, needs: &[&str]) -> Service {
        Service {
            id: Id::parse(id).unwrap(),
            start: vec!["a".into()],
            ready: Ready::Started,
            port,
            timeout_ms: 1,
            grace_ms: 1,
            cwd: ".".into(),
            env: Vec::new(),
            adopt: false,
            needs: needs.iter().map(|need| Id::parse(need).unwrap()).collect(),
        }
    }

    fn plan() -> Plan {
        Plan {
            environment: crate::plan::EnvironmentRef::Absent,
            base_url: None,
            vars: Vec::new(),
            grants: Default::default(),
            mutation: None,
            scenarios: Vec::new(),
        }
    }

    #[test]
    fn a_service_is_needed_by_its_port_and_brings_what_it_needs() {
        let services = vec![
            service("shop", Some(8123), &["store", "queue"]),
            service("other", Some(9000), &[]),
            service("queue", None, &["store"]),
            service("store", Some(5432), &[]),
        ];
        let profile = Profile { services, ..Profile::default() };
        let of = |origin: &str| {
            let environment = Environment::undeclared(vec![Origin::of(origin).unwrap()], None);
            needed(&profile, &environment, &plan()).iter().map(|s| s.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("http://127.0.0.1:8123"), ["store", "queue", "shop"]);
        assert_eq!(of("http://localhost:9000"), ["other"]);
        assert_eq!(of("http://[::1]:9000"), ["other"]);
        assert!(of("http://shop.test:8123").is_empty(), "another machine's port is not ours to open");
        assert!(of("http://127.0.0.1:8124").is_empty());
    }

    #[test]
    fn the_ports_of_a_service_are_those_that_it_names() {
        let mut one = service("a", Some(80), &[]);
        one.ready = Ready::Http("http://127.0.0.1:81/health".into());
        assert_eq!(one.ports(), [80, 81]);
        one.ready = Ready::Tcp(80);
        assert_eq!(one.ports(), [80]);
    }

    #[test]
    fn this_machine_has_few_names() {
        for host in ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["0.0.0.0", "10.0.0.1", "localhost.test", "shop.test", "[::2]", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
