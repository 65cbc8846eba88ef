//! What forbids the start of a script of package.json before it is tried (harness-planning.md 7.3): the script is not
//! there, or what it depends on was never installed.

use probity_core::json::{Json, Limits, read};
use probity_core::service::Service;

use crate::project::Project;

/// Why `npm run SCRIPT` and its like cannot work; `None` for any other command, and where nothing speaks against it.
pub(super) fn hindrance(service: &Service, project: &Project) -> Option<String> {
    let words: Vec<&str> = service.start.iter().map(String::as_str).collect();
    let script = match words.as_slice() {
        ["npm" | "pnpm" | "yarn", "run", script, ..] => *script,
        ["npm" | "pnpm" | "yarn", "start", ..] => "start",
        _ => return None,
    };
    let folder = project.root.join(&service.cwd);
    let Ok(bytes) = std::fs::read(folder.join("package.json")) else {
        return Some(format!("there is no package.json in {}", service.cwd));
    };
    // What cannot be read here is for the program to say.
    let package = read(&bytes, &Limits::default()).ok()?;
    if package.get("scripts").and_then(|scripts| scripts.get(script)).is_none() {
        let Some(Json::Map(known)) = package.get("scripts") else {
            return Some(format!("package.json has no script {script}"));
        };
        let names: Vec<&str> = known.iter().map(|(name, _)| name).take(8).collect();
        return Some(format!("package.json has no script {script}; it has: {}", names.join(", ")));
    }
    let depends = ["dependencies", "devDependencies"];
    let any = depends.iter().any(|name| matches!(package.get(name), Some(Json::Map(map)) if !map.is_empty()));
    let installed = folder.ancestors().take_while(|f| f.starts_with(&project.root));
    let there = installed.into_iter().any(|folder| folder.join("node_modules").is_dir());
    (any && !there).then(|| "package.json names dependencies, and there is no node_modules".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_core::ids::Id;
    use probity_core::service::Ready;

    #[test]
    fn what_cannot_work_is_said_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { root: folder.path().to_path_buf(), settings: None, programs: None };
        let of = |words: &[&str]| {
            let service = Service {
                id: Id::parse("web").unwrap(),
                start: words.iter().map(|word| (*word).to_owned()).collect(),
                ready: Ready::Started,
                port: None,
                timeout_ms: 1,
                grace_ms: 1,
                cwd: ".".into(),
                env: Vec::new(),
                adopt: false,
                needs: Vec::new(),
            };
            hindrance(&service, &project)
        };
        assert!(of(&["npm", "run", "dev"]).unwrap().contains("no package.json"));
        let package = |text: &str| std::fs::write(folder.path().join("package.json"), text).unwrap();
        package(r#"{"scripts": {"serve": "x"}}"#);
        assert_eq!(of(&["npm", "run", "dev"]).unwrap(), "package.json has no script dev; it has: serve");
        assert_eq!(of(&["pnpm", "run", "serve"]), None);
        package(r#"{"scripts": {"start": "x"}, "devDependencies": {"a": "1"}}"#);
        assert!(of(&["yarn", "start"]).unwrap().contains("node_modules"));
        std::fs::create_dir(folder.path().join("node_modules")).unwrap();
        assert_eq!(of(&["npm", "start"]), None);
        assert_eq!(of(&["node", "server.js"]), None);
    }
}
