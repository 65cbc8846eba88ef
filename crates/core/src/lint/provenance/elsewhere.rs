//! Values that another case saved, named as `{CASE.name}`: whether that case put the very question that the value should
//! judge. What counts as in between is what always lies there: cases that nothing orders may be run side by side. Two cases write the same question in their own words: `{order}` there may be `{CASE.order}` here.

use crate::ids::Id;
use crate::inputs::data_of;
use crate::json::Json;
use crate::lint::index::{Index, StepAt};
use crate::plan::{Action, Body, PartContent, Scenario, Step};
use crate::vars::{Part, Reference, parts};

/// The step of another case that saved a value, if it put the same question and nothing is sure to be changed in between.
pub(super) fn same_question<'a>(index: &Index<'a>, at: &StepAt<'_>, variable: &str) -> Option<&'a Id> {
    let (case, name) = variable.rsplit_once('.')?;
    let ran = |id: &str| index.order.positions.iter().position(|other| index.plan.scenarios[*other].id.as_str() == id);
    let (there, here) = (ran(case)?, ran(at.scenario.id.as_str())?);
    let case = |ran: usize| &index.plan.scenarios[index.order.positions[ran]];
    let other = case(there);
    let made = last_saving(&other.steps, name)?;
    let own = at.scenario.steps.iter().position(|step| step.id == at.step.id)?;
    let position = |ran: usize| index.order.positions[ran];
    let always = |ran: &usize| {
        index.order.follows(position(here), position(*ran)) && index.order.follows(position(*ran), position(there))
    };
    let between = (there + 1..here).filter(always).flat_map(|ran| &case(ran).steps);
    let mut between = other.steps[made..].iter().chain(between).chain(&at.scenario.steps[..own]);
    let undisturbed = there < here && between.all(only_reads);
    let maker = &other.steps[made];
    let same = undisturbed && asked(index, other, made) == asked(index, at.scenario, own);
    same.then_some(&maker.id)
}

/// What a cleanup deletes twice over is idempotent, and changes what is there.
fn only_reads(step: &Step) -> bool {
    let deletes = matches!(&step.action, Action::Http(http) if matches!(http.method.as_str(), "DELETE" | "PUT"));
    step.idempotent && !deletes
}

fn last_saving(steps: &[Step], name: &str) -> Option<usize> {
    steps.iter().rposition(|step| step.saves.iter().any(|save| save.name == name))
}

/// What a step asks, with each variable named by the step that set it.
fn asked(index: &Index<'_>, scenario: &Scenario, position: usize) -> (Vec<String>, Vec<Json>) {
    let step = &scenario.steps[position];
    let source = |name: &str| source(index, scenario, position, name);
    let mut words = Vec::new();
    match &step.action {
        Action::Http(http) => {
            words.extend([http.method.clone(), filled(&http.target, &source), format!("{:?}", http.auth)]);
            words.extend(http.query.iter().chain(&http.headers).map(|(name, _)| name.clone()));
            words.extend(http.body.iter().flat_map(names));
        }
        Action::Command(command) => {
            words.push(format!("{:?} {}", command.cwd, command.shell));
            words.extend(command.env.iter().map(|(name, _)| name.clone()));
        }
        // It saves nothing.
        Action::Log(_) => {}
    }
    (words, data_of(step).into_iter().map(|value| renamed(value, &source)).collect())
}

/// What a body holds beside values.
fn names(body: &Body) -> Vec<String> {
    match body {
        Body::Json(_) => vec!["json".to_owned()],
        Body::Text(_) => vec!["text".to_owned()],
        Body::File(path) => vec!["file".to_owned(), path.clone()],
        Body::Form(pairs) => pairs.iter().map(|(name, _)| format!("form {name}")).collect(),
        Body::Multipart(parts) => parts
            .iter()
            .map(|part| match &part.content {
                PartContent::Value(_) => format!("part {} {:?}", part.name, part.media),
                PartContent::File { path, filename } => {
                    format!("part {} {:?} {path} {filename}", part.name, part.media)
                }
            })
            .collect(),
    }
}

/// The step that set a variable, with its name there; the name alone for what is the same everywhere.
fn source(index: &Index<'_>, scenario: &Scenario, position: usize, name: &str) -> String {
    let set = |step: &Step, name: &str| format!("{} {name}", step.id);
    if let Some((case, name)) = name.rsplit_once('.') {
        let other = index.plan.scenarios.iter().find(|other| other.id.as_str() == case);
        return other
            .and_then(|other| Some(set(&other.steps[last_saving(&other.steps, name)?], name)))
            .unwrap_or_default();
    }
    if let Some(made) = last_saving(&scenario.steps[..position], name) {
        return set(&scenario.steps[made], name);
    }
    let inherited = index.inherited(scenario);
    let saved = inherited.iter().rev().find(|step| step.saves.iter().any(|save| save.name == name));
    match saved {
        Some(step) => set(step, name),
        None => name.to_owned(),
    }
}

fn filled(template: &str, source: &dyn Fn(&str) -> String) -> String {
    let Ok(parts) = parts(template) else { return template.to_owned() };
    let word = |part: Part<'_>| match part {
        Part::Text(text) => text.to_owned(),
        Part::Hole(name) => format!("{{{}}}", source(name)),
    };
    parts.into_iter().map(word).collect()
}

fn renamed(value: &Json, source: &dyn Fn(&str) -> String) -> Json {
    match (Reference::of(value), value) {
        (Ok(Some(Reference::Var(name))), _) => Json::map([("$var", Json::from(source(name)))]),
        (Ok(Some(Reference::Template(text))), _) => Json::map([("$template", Json::from(filled(text, source)))]),
        (_, Json::List(items)) => Json::list(items.iter().map(|item| renamed(item, source))),
        (_, Json::Map(map)) => Json::map(map.iter().map(|(key, item)| (key, renamed(item, source)))),
        _ => value.clone(),
    }
}
