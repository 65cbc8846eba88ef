//! `policy what-if`: what runs that there are not, or another policy over the same runs, would come to. Nothing is written.

use std::collections::BTreeMap;

use probity_core::codes::Code;
use probity_core::json::{Json, Limits, Map, read};
use probity_core::success_policy::{Reason, Row, State, Time, Want, conclude};
use probity_core::verdict::{QaVerdict, worst_exit};

use super::{Source, judged_source, source};
use crate::answer;
use crate::cli::policy::WhatIfArgs;
use crate::cmd::fail;
use crate::out::Out;
use crate::qa_runs::{self, Whose};
use crate::screen;

/// Most runs that can be added.
const MOST: u64 = 1_000_000;
/// So many runs that would count otherwise are named.
const NAMED: usize = 50;

/// One requirement, now and then.
#[derive(Clone, Default)]
pub(crate) struct Pair {
    /// What there is.
    pub now: State,
    /// What there would be.
    pub then: State,
}

/// A run that would count otherwise.
pub(crate) struct Turned {
    /// Its name.
    pub name: String,
    /// How it counts.
    pub now: Option<bool>,
    /// How it would.
    pub then: Option<bool>,
}

/// Everything that is said.
pub(crate) struct WhatIf<'a> {
    /// The policy that there is.
    pub now: &'a Source,
    /// The policy that would be.
    pub then: &'a Source,
    /// Runs that were added.
    pub added: u64,
    /// By requirement; one without a name where the runs say none.
    pub pairs: BTreeMap<Option<String>, Pair>,
    /// Runs that would count otherwise.
    pub turned: Vec<Turned>,
    /// How many of them there are.
    pub turns: u64,
    /// What was noticed of run folders.
    pub noticed: Vec<(Code, String)>,
}

impl WhatIf<'_> {
    /// Why a requirement is what it is, and why it would be what it would be.
    pub(crate) fn reasons(&self, pair: &Pair) -> (Reason, Reason) {
        let of = |source: &Source, state: &State| match &source.policy {
            Ok(policy) => conclude(policy, state),
            Err(invalid) => invalid.reason,
        };
        (of(self.now, &pair.now), of(self.then, &pair.then))
    }

    /// The requirements whose outcome would be another.
    pub(crate) fn flips(&self) -> impl Iterator<Item = (&Option<String>, Reason, Reason)> {
        let all = self.pairs.iter().map(|(id, pair)| (id, self.reasons(pair)));
        all.filter(|(_, (now, then))| now.outcome() != then.outcome()).map(|(id, (now, then))| (id, now, then))
    }
}

/// Says what would be.
pub(super) fn what_if(args: &WhatIfArgs, out: Out) -> u8 {
    let now = match judged_source(&args.judged, out) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let (then, added) = match (changed(args, &now, out), added(&args.add)) {
        (Ok(then), Ok(added)) => (then, added),
        (Err(exit), _) => return exit,
        (_, Err(message)) => {
            return fail(
                out,
                Code::UsageError,
                &message,
                "write N*VERDICT@CONFIDENCE, as in 4*pass or fail@0.9, or a JSON object",
            );
        }
    };
    let names = [&now, &then].into_iter().filter_map(|source| source.policy.as_ref().ok());
    let want = Want::names(names.flat_map(|policy| policy.names())).and_words();
    let mut answer = WhatIf {
        now: &now,
        then: &then,
        added: added.iter().map(|(times, _)| times).sum(),
        pairs: BTreeMap::new(),
        turned: Vec::new(),
        turns: 0,
        noticed: Vec::new(),
    };
    let mut number = 0;
    let offered = qa_runs::read(&args.judged, Whose::Any, &want, out, &mut |row| {
        number += 1;
        answer.take(&row, number);
    });
    match offered {
        Ok(offered) => answer.noticed = offered.noticed,
        Err(unread) => return unread.tell(out),
    }
    if answer.pairs.is_empty() {
        answer.pairs.insert(args.judged.requirement.clone(), Pair::default());
    }
    if !added.is_empty() && answer.pairs.len() > 1 {
        let message = "runs are added, and it is not said to which requirement";
        return fail(out, Code::RunsMixed, message, Code::RunsMixed.explanation().remedy);
    }
    for pair in answer.pairs.values_mut() {
        for (times, row) in &added {
            if let Ok(policy) = &then.policy {
                let mut seen = policy.see(&row.run);
                // What there is not yet comes after all that there is.
                seen.at = seen.at.or(seen.ordered.then_some(Time::LATEST));
                (0..*times).for_each(|_| pair.then.add(seen));
            }
        }
    }
    let exits: Vec<u8> = answer.pairs.values().map(|pair| answer.reasons(pair).1.outcome().exit()).collect();
    let exit = worst_exit(&exits);
    if out.json {
        out.data(&answer::document(&answer::what_if::what_if(&answer, exit)));
    } else {
        out.data(&screen::what_if::what_if(&answer, exit, out));
    }
    exit
}

impl WhatIf<'_> {
    fn take(&mut self, row: &Row, number: u64) {
        let pair = self.pairs.entry(row.requirement.as_ref().map(ToString::to_string)).or_default();
        let look = |source: &Source| source.policy.as_ref().ok().map(|policy| policy.see(&row.run));
        let (now, then) = (look(self.now), look(self.then));
        now.into_iter().for_each(|seen| pair.now.add(seen));
        then.into_iter().for_each(|seen| pair.then.add(seen));
        if let (Some(now), Some(then)) = (now, then)
            && now.holds != then.holds
        {
            self.turns += 1;
            if self.turned.len() < NAMED {
                let name = row.name.clone().unwrap_or_else(|| format!("#{number}"));
                self.turned.push(Turned { name, now: now.holds, then: then.holds });
            }
        }
    }
}

/// The policy that would be.
fn changed(args: &WhatIfArgs, now: &Source, out: Out) -> Result<Source, u8> {
    if let Some(file) = &args.instead {
        return source(file, out);
    }
    if args.set.is_empty() {
        return Ok(Source::new(now.name.clone(), now.text.clone()));
    }
    let refuse = |message: String, help: &str| Err(fail(out, Code::UsageError, &message, help));
    let base: &[u8] = match &now.policy {
        // What no policy means.
        Ok(policy) if now.text.trim_ascii().is_empty() => &policy.to_json().to_string().into_bytes(),
        _ => &now.text,
    };
    let Ok(Json::Map(mut policy)) = read(base, &Limits::default()) else {
        return refuse(
            format!("{} holds no JSON object in which a field could be set", now.name),
            "see probity policy check",
        );
    };
    for set in &args.set {
        let Some((field, value)) = set.split_once('=').filter(|(field, _)| !field.is_empty()) else {
            return refuse(format!("--set {set}: this sets nothing"), "write FIELD=VALUE, as in min_pass_rate=0.8");
        };
        let value = read(value.as_bytes(), &Limits::default()).unwrap_or_else(|_| Json::from(value));
        let kept =
            policy.iter().filter(|(name, _)| *name != field).map(|(name, value)| (name.to_owned(), value.clone()));
        let mut next: Map = kept.collect();
        next.push(field, value);
        policy = next;
    }
    Ok(Source::new(format!("{} with {}", now.name, args.set.join(", ")), Json::Map(policy).to_string().into_bytes()))
}

/// Runs that there are not, each with how often.
fn added(words: &[String]) -> Result<Vec<(u64, Row)>, String> {
    words.iter().map(|word| one(word).map_err(|why| format!("--add {word}: {why}"))).collect()
}

fn one(word: &str) -> Result<(u64, Row), String> {
    let (times, run) = match word.split_once('*') {
        Some((times, run)) if !word.starts_with('{') => {
            let times = times.parse().ok().filter(|times| (1..=MOST).contains(times));
            (times.ok_or_else(|| format!("how often is a number from 1 to {MOST}"))?, run)
        }
        _ => (1, word),
    };
    let text = if run.starts_with('{') {
        run.to_owned()
    } else {
        let (verdict, confidence) =
            run.split_once('@').map_or((run, "null"), |(verdict, confidence)| (verdict, confidence));
        if QaVerdict::parse(verdict).is_none() {
            return Err("a verdict is pass, fail, undetermined or error".to_owned());
        }
        if confidence != "null" && confidence.parse::<f64>().is_err() {
            return Err("a confidence is a number from 0 to 1".to_owned());
        }
        format!(r#"{{"verdict":"{verdict}","confidence":{confidence}}}"#)
    };
    let row = Row::read(text.as_bytes(), &Want::everything()).map_err(|fault| fault.message)?;
    Ok((times, row))
}
