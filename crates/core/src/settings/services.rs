//! `services` of the settings file: what a run may start, and what it refuses to (harness-planning.md 7.4).

use super::{list, text};
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Node, Value};
use crate::environment::Origin;
use crate::ids::Id;
use crate::inert::shortened;
use crate::observe::{Field, SecretUse};
use crate::recorded::leaves_folder;
use crate::service::{GRACE_MS, READY_MS, Ready, Service, is_loopback};
use crate::units;

/// Reads the services of the settings file.
pub(super) fn services(node: &Node, diags: &mut Diagnostics) -> Vec<Service> {
    let mut services: Vec<Service> = Vec::new();
    for row in list(node, "services") {
        let before = diags.len();
        let service = service(row, diags);
        if let Some(id) = text(row, "id") {
            diags.subject_since(before, &id);
        }
        let Some(service) = service else { continue };
        if services.iter().any(|known| known.id.folded() == service.id.folded()) {
            let message = format!("two services have the id `{}`", service.id);
            diags.error(Code::IdDuplicate, row.place, message, "rename one of them");
        }
        if let Some(port) = service.ports().into_iter().find(|port| services.iter().any(|s| s.ports().contains(port))) {
            let message = format!("two services have the port {port}");
            diags.error(Code::ValueOutOfRange, row.place, message, "give each service a port of its own");
        }
        services.push(service);
    }
    needs(node, &services, diags);
    services
}

fn service(row: &Node, diags: &mut Diagnostics) -> Option<Service> {
    let id = Id::parse(&text(row, "id")?).ok()?;
    let start = start(row, diags);
    let port = row.get("port").and_then(port_of);
    let ready = ready(row, port, diags);
    let duration = |name| text(row, name).and_then(|written| units::duration_ms(&written).ok());
    let cwd = text(row, "cwd").unwrap_or_else(|| ".".to_owned());
    if let Some(place) = row.get("cwd").map(|node| node.place).filter(|_| leaves_folder(&cwd)) {
        let message = format!("the working folder `{}` lies outside the project", shortened(&cwd, 80));
        diags.error(Code::CommandPathOutside, place, message, "name a folder inside the project");
    }
    Some(Service {
        id,
        start: start?,
        ready: ready?,
        port,
        timeout_ms: duration("timeout").unwrap_or(READY_MS),
        grace_ms: duration("grace").unwrap_or(GRACE_MS),
        cwd,
        env: environment(row, diags),
        adopt: row.get("adopt").and_then(Node::as_bool).unwrap_or(false),
        needs: texts(row, "needs").iter().filter_map(|need| Id::parse(need).ok()).collect(),
    })
}

fn port_of(node: &Node) -> Option<u16> {
    match &node.value {
        Value::Number(number) => u16::try_from(number.as_u64()?).ok(),
        _ => None,
    }
}

/// A text, or a list of them.
fn texts(node: &Node, name: &str) -> Vec<String> {
    match node.get(name).map(|node| &node.value) {
        Some(Value::Text(text)) => vec![text.to_string()],
        Some(Value::List(items)) => items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// The command: words that no shell reads, and none that destroys.
fn start(row: &Node, diags: &mut Diagnostics) -> Option<Vec<String>> {
    let node = row.get("start")?;
    let items = node.as_list().filter(|items| !items.is_empty())?;
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let word = item.as_text()?;
        if let Some(c) = word.chars().find(|c| ";&|`<>".contains(*c) || *c == '\0') {
            let message = format!("`{}` holds {c:?}, which means something to a shell", shortened(word, 60));
            let help = "no shell reads the command; put it into a script of the project and start that";
            diags.error(Code::ServiceUnsafe, item.place, message, help);
        }
        words.push(word.to_owned());
    }
    if words.first().is_none_or(String::is_empty) {
        diags.error(Code::ServiceUnsafe, node.place, "`start` names no program", "name it first");
        return None;
    }
    if is_shell_text(&words) {
        let help = "write the program and its arguments, or put the line into a script of the project";
        diags.error(Code::ServiceUnsafe, node.place, "`start` hands a line to a shell", help);
    }
    if let Some(what) = destructive(&words.join(" ")) {
        let message = format!("`start` holds `{what}`, which destroys");
        diags.error(Code::ServiceUnsafe, node.place, message, "a command that starts a service removes nothing");
    }
    Some(words)
}

/// Whether a shell is told to read its own argument.
pub(super) fn is_shell_text(words: &[String]) -> bool {
    let shell = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "ash" | "busybox")
    };
    let reads = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    words
        .iter()
        .position(shell)
        .is_some_and(|at| words.iter().skip(at + 1).take_while(|w| w.starts_with('-')).any(reads))
}

/// Words that destroy, in the order in which they stand; between them may stand others where that is said.
const DESTRUCTIVE: [&[&str]; 14] = [
    &["rm", "-rf"],
    &["rm", "-fr"],
    &["mkfs"],
    &["dd", "if="],
    &["drop", "table"],
    &["truncate", "table"],
    &["delete", "from"],
    &["insert", "into"],
    &["gh", "repo", "delete"],
    &["kubectl", "delete"],
    &["docker", "rm"],
    &["docker", "rmi"],
    &["docker", "system", "prune"],
    &["docker", "compose", "down"],
];

/// What a command holds that destroys.
fn destructive(command: &str) -> Option<String> {
    let lower = command.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    // A program may be named with its folder; one carries a suffix, and one argument a value.
    let begins = |word: &str, wanted: &str| match wanted {
        "if=" => word.starts_with(wanted),
        "mkfs" => word.rsplit('/').next().unwrap_or(word).starts_with(wanted),
        _ => word.rsplit('/').next() == Some(wanted),
    };
    let at = |pattern: &[&str], from: usize| {
        pattern.iter().enumerate().all(|(i, wanted)| words.get(from + i).is_some_and(|word| begins(word, wanted)))
    };
    let found = DESTRUCTIVE.iter().find(|pattern| (0..words.len()).any(|from| at(pattern, from)));
    if let Some(pattern) = found {
        return Some(pattern.join(" "));
    }
    // `update TABLE set`, with the name of the table between.
    let update = words.windows(3).any(|three| three[0] == "update" && three[2] == "set");
    update.then(|| "update … set".to_owned())
}

/// What shows that the service is ready. Only this machine is asked: what a run starts, it starts here.
fn ready(row: &Node, port: Option<u16>, diags: &mut Diagnostics) -> Option<Ready> {
    let Some(node) = row.get("ready") else { return Some(port.map_or(Ready::Started, Ready::Tcp)) };
    let written = match (node.as_text(), node.get("http"), node.get("tcp")) {
        (Some(_), ..) => node,
        (None, Some(http), None) => http,
        (None, None, Some(tcp)) => return port_of(tcp).map(Ready::Tcp),
        _ => {
            let help = "write a path, a URL, {http: PATH or URL} or {tcp: PORT}";
            diags.error(Code::MissingField, node.place, "`ready` has not exactly one of `http` and `tcp`", help);
            return None;
        }
    };
    let target = written.as_text()?;
    if target.starts_with('/') {
        let Some(port) = port else {
            let message = "`ready` is a path, and the service names no `port`";
            diags.error(Code::MissingField, written.place, message, "add port, or write the whole URL");
            return None;
        };
        return Some(Ready::Http(format!("http://127.0.0.1:{port}{target}")));
    }
    let origin = Origin::of(target).ok().filter(|_| !target.contains([' ', '{', '}', '#']));
    match origin {
        Some(origin) if is_loopback(&origin.host) => Some(Ready::Http(target.to_owned())),
        Some(origin) => {
            let message = format!("`ready` asks {}, and a service is started on this machine", origin.host);
            diags.error(Code::UrlMalformed, written.place, message, "write 127.0.0.1 or localhost");
            None
        }
        None => {
            let message = format!("`{}` is no path and no URL", shortened(target, 80));
            diags.error(Code::UrlMalformed, written.place, message, "write /health, or http://127.0.0.1:8123/health");
            None
        }
    }
}

/// Texts, and credentials by name: `{env: NAME}`.
pub(super) fn environment(row: &Node, diags: &mut Diagnostics) -> Vec<(String, Field)> {
    let mut pairs = Vec::new();
    for (key, value) in row.get("env").and_then(Node::as_map).unwrap_or_default() {
        if key.name.is_empty() || key.name.contains(['=', '\0']) {
            let message = "a variable of `env` has no usable name";
            diags.error(Code::VarNameInvalid, key.place, message, "use letters, digits and underscore");
        }
        let named = value.as_map().and_then(|pairs| match pairs {
            [(key, name)] if key.name.as_str() == "env" => name.as_text(),
            _ => None,
        });
        let field = match (value.as_text(), named) {
            (Some(text), _) => Field::Text(text.to_owned()),
            (None, Some(name)) => Field::Secret(SecretUse::Plain, name.to_owned()),
            // What is no map has been named by its shape.
            (None, None) if value.as_map().is_none() => continue,
            (None, None) => {
                let message = format!("the variable `{}` has a {}", key.name, value.kind());
                let help = "write a text in quotes, or {env: NAME} for a credential";
                diags.error(Code::WrongType, value.place, message, help);
                continue;
            }
        };
        pairs.push((key.name.to_string(), field));
    }
    pairs
}

/// Each service needs known ones, and none itself, not by a detour either.
fn needs(node: &Node, services: &[Service], diags: &mut Diagnostics) {
    for row in list(node, "services") {
        let Some(service) = text(row, "id").and_then(|id| services.iter().find(|s| s.id.as_str() == id)) else {
            continue;
        };
        let place = row.get("needs").map_or(row.place, |node| node.place);
        for need in texts(row, "needs") {
            if !services.iter().any(|known| known.id.as_str() == need) {
                let message = format!("`{}` is needed by `{}` and not declared", shortened(&need, 60), service.id);
                diags.error(Code::ServiceUnknown, place, message, "declare it, or correct the name");
            }
        }
        if leads_back(service, services) {
            let message = format!("`{}` needs itself", service.id);
            diags.error(Code::ServiceUnknown, place, message, "take one of the needs out of the circle");
        }
    }
}

fn leads_back(service: &Service, services: &[Service]) -> bool {
    let mut seen: Vec<&Id> = Vec::new();
    let mut next: Vec<&Id> = service.needs.iter().collect();
    while let Some(id) = next.pop() {
        if *id == service.id {
            return true;
        }
        if !seen.contains(&id) {
            seen.push(id);
            next.extend(services.iter().filter(|other| other.id == *id).flat_map(|other| &other.needs));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read_placed};

    fn read(rows: &str) -> (Vec<Service>, Vec<Code>) {
        let text = format!("{{\"services\": {rows}}}");
        let node = read_placed(text.as_bytes(), &Limits::default()).unwrap();
        let mut diags = Diagnostics::about("probity.yaml");
        let profile = super::super::profile(&node, &mut diags);
        let codes = diags.into_sorted().iter().map(|d| d.code).collect();
        (profile.map(|profile| profile.services).unwrap_or_default(), codes)
    }

    #[test]
    fn a_service_is_read_with_its_defaults() {
        let (services, codes) =
            read(r#"[{"id": "shop", "start": ["npm", "run", "dev"], "ready": "/health", "port": 8123}]"#);
        assert!(codes.is_empty(), "{codes:?}");
        let shop = &services[0];
        assert_eq!((shop.timeout_ms, shop.grace_ms, shop.cwd.as_str(), shop.adopt), (45_000, 6000, ".", false));
        assert_eq!(shop.ready, Ready::Http("http://127.0.0.1:8123/health".into()));
        let (services, codes) = read(
            r#"[{"id": "a", "start": ["a"], "port": 1, "env": {"A": "b", "T": {"env": "TOKEN"}}, "needs": "b"},
                {"id": "b", "start": ["b"], "ready": {"tcp": 2}, "timeout": "1s", "grace": "100ms"},
                {"id": "c", "start": ["sh", "tools/c.sh"]}, {"id": "d", "start": ["d"], "ready": {"http": "http://localhost:3/"}}]"#,
        );
        assert!(codes.is_empty(), "{codes:?}");
        assert_eq!(services[0].ready, Ready::Tcp(1));
        assert_eq!(services[0].env[1].1, Field::Secret(SecretUse::Plain, "TOKEN".into()));
        assert_eq!((services[1].timeout_ms, services[1].grace_ms, services[1].ports()), (1000, 100, vec![2]));
        assert_eq!((&services[2].ready, services[3].ports()), (&Ready::Started, vec![3]));
    }

    #[test]
    fn what_cannot_be_started_safely_is_refused() {
        let start = |start: &str| format!(r#"[{{"id": "a", "start": {start}}}]"#);
        for bad in [
            r#"["a;b"]"#,
            r#"["a", "x&"]"#,
            r#"["a", "|"]"#,
            r#"["a", "`b`"]"#,
            r#"["a", ">f"]"#,
            r#"["a", "<f"]"#,
            r#"["sh", "-c", "a"]"#,
            r#"["/bin/bash", "-lc", "a"]"#,
            r#"["env", "sh", "-e", "-c", "a"]"#,
            r#"[""]"#,
            r#"["rm", "-rf", "x"]"#,
            r#"["/bin/rm", "-fr", "x"]"#,
            r#"["mkfs.ext4", "x"]"#,
            r#"["dd", "if=/dev/zero"]"#,
            r#"["psql", "DROP TABLE x"]"#,
            r#"["psql", "truncate  table x"]"#,
            r#"["psql", "delete from x"]"#,
            r#"["psql", "update x set y=1"]"#,
            r#"["psql", "insert into x"]"#,
            r#"["gh", "repo", "delete"]"#,
            r#"["kubectl", "delete", "pod"]"#,
            r#"["docker", "rm", "x"]"#,
            r#"["docker", "rmi", "x"]"#,
            r#"["docker", "system", "prune"]"#,
            r#"["docker", "compose", "down"]"#,
        ] {
            assert_eq!(read(&start(bad)).1, [Code::ServiceUnsafe], "{bad}");
        }
        for good in [
            r#"["npm", "run", "dev"]"#,
            r#"["sh", "start.sh"]"#,
            r#"["sh", "-e", "start.sh"]"#,
            r#"["docker", "run", "--rm", "x"]"#,
            r#"["./server", "--port", "80"]"#,
            r#"["python3", "-m", "http.server", "-c"]"#,
            r#"["./update", "set"]"#,
        ] {
            assert!(read(&start(good)).1.is_empty(), "{good}");
        }
    }

    #[test]
    fn every_fault_has_its_code() {
        for (rows, code) in [
            (r#"[{"id": "a"}]"#, Code::MissingField),
            (r#"[{"id": "a", "start": "npm run dev"}]"#, Code::WrongType),
            (r#"[{"id": "a", "start": []}]"#, Code::ValueOutOfRange),
            (r#"[{"id": "a", "start": ["a"], "ready": "/x"}]"#, Code::MissingField),
            (r#"[{"id": "a", "start": ["a"], "ready": {"tcp": 1, "http": "/x"}}]"#, Code::MissingField),
            (r#"[{"id": "a", "start": ["a"], "ready": "http://shop.test/x"}]"#, Code::UrlMalformed),
            (r#"[{"id": "a", "start": ["a"], "ready": "x"}]"#, Code::UrlMalformed),
            (r#"[{"id": "a", "start": ["a"], "cwd": "../x"}]"#, Code::CommandPathOutside),
            (r#"[{"id": "a", "start": ["a"], "cwd": "/x"}]"#, Code::CommandPathOutside),
            (r#"[{"id": "a", "start": ["a"], "env": {"A": 1}}]"#, Code::WrongType),
            (r#"[{"id": "a", "start": ["a"], "env": {"A": {"env": "B", "x": "y"}}}]"#, Code::WrongType),
            (r#"[{"id": "a", "start": ["a"], "env": {"A=": "1"}}]"#, Code::VarNameInvalid),
            (r#"[{"id": "a", "start": ["a"], "needs": "b"}]"#, Code::ServiceUnknown),
            (r#"[{"id": "a", "start": ["a"], "needs": "a"}]"#, Code::ServiceUnknown),
            (
                r#"[{"id": "a", "start": ["a"], "port": 1}, {"id": "b", "start": ["b"], "port": 1}]"#,
                Code::ValueOutOfRange,
            ),
            (r#"[{"id": "a", "start": ["a"]}, {"id": "A", "start": ["a"]}]"#, Code::IdDuplicate),
            (r#"[{"id": "a", "start": ["a"], "stop": ["b"]}]"#, Code::UnknownField),
        ] {
            assert_eq!(read(rows).1, [code], "{rows}");
        }
        let circle = r#"[{"id": "a", "start": ["a"], "needs": "b"}, {"id": "b", "start": ["b"], "needs": "a"}]"#;
        assert_eq!(read(circle).1, [Code::ServiceUnknown; 2]);
    }
}
