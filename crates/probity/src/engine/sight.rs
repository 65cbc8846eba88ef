//! What an action saw, twice: as it came, for the moment, and as it is kept, with secrets replaced before anything is
//! hashed (threats.md R13). Checks are asked of what is kept; where that hides something, of the live answer too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_core::coding::glimpse;
use probity_core::ids::Digest;
use probity_core::inputs::credentials_in_data;
use probity_core::invoke::Call;
use probity_core::journal::observation::{
    Blob, CommandObserved, HopObserved, HttpObserved, LogObserved, Observation, Try,
};
use probity_core::journal::witnessed::Witnessed;
use probity_core::observe::{CommandResult, Exchange, Failure, FailureKind, Field, Hop, HttpCall};
use probity_core::plan::Step;
use probity_core::redact::{GLIMPSE, Redactor};
use probity_core::step::Judgement;
use probity_core::vars::Vars;
use probity_core::walk::CaseWalk;
use probity_probes::http::Secrets;

use super::recorder::Captures;

/// A step with what its variables stand for.
pub(super) struct Live {
    vars: Vars,
    pub(super) call: Call,
}

impl Live {
    /// `None` where the variables of the case hide nothing, and no credential stands in the data of the step.
    ///
    /// # Errors
    /// What a variable stands for may not go where the plan puts it; a credential that is not set.
    pub(super) fn of(
        redactor: &Redactor,
        secrets: &Secrets,
        walk: &CaseWalk<'_>,
        step: &Step,
    ) -> Result<Option<Self>, Failure> {
        let credentials = credentials_in_data(step);
        if redactor.is_empty() && credentials.is_empty() {
            return Ok(None);
        }
        let mut vars = walk.vars().clone();
        let revealed: Vec<_> = vars
            .iter()
            .map(|(name, value)| (name.to_owned(), value, redactor.reveal(value)))
            .filter(|(_, value, revealed)| *value != revealed)
            .map(|(name, _, revealed)| (name, revealed))
            .collect();
        if revealed.is_empty() && credentials.is_empty() {
            return Ok(None);
        }
        for name in credentials {
            let value = secrets.get(name).ok_or_else(|| {
                let message = format!("the environment variable {name} is not set");
                Failure { kind: FailureKind::CredentialMissing, message }
            })?;
            vars.set_credential(name, value);
        }
        for (name, value) in revealed {
            vars.set(name, value);
        }
        walk.resolve_live(step, &vars).map(|call| Some(Self { vars, call }))
    }
}

/// The step that looks, and what it knows.
pub(super) struct Onlooker<'a, 'w> {
    pub(super) walk: &'a CaseWalk<'w>,
    pub(super) step: &'a Step,
    /// The call as it is written down.
    pub(super) call: &'a Call,
    pub(super) live: Option<&'a Live>,
    /// Names of variables that hold secrets.
    pub(super) secrets: &'a BTreeSet<String>,
}

impl Onlooker<'_, '_> {
    /// The variables that the call is sent with.
    pub(super) fn vars(&self) -> &Vars {
        self.live.map_or_else(|| self.walk.vars(), |live| &live.vars)
    }
}

/// What was seen.
#[derive(Clone)]
pub(super) struct Sight {
    /// As it is kept.
    pub(super) kept: Observation,
    /// As it came, where something of it or of what it is held against is hidden.
    came: Option<Came>,
}

#[derive(Clone)]
struct Came {
    observation: Observation,
    bytes: BTreeMap<Digest, Arc<Vec<u8>>>,
}

impl Came {
    fn judged(&self, by: &Onlooker<'_, '_>) -> Judgement {
        let bytes = |digest: &Digest| self.bytes.get(digest).cloned();
        let (call, vars) = by.live.map_or((by.call, by.walk.vars()), |live| (&live.call, &live.vars));
        by.walk.judge_live(by.step, call, &self.observation, &bytes, vars)
    }

    fn of_http(exchange: &Exchange) -> Self {
        let mut bytes = BTreeMap::new();
        let mut keep = |body: &[u8]| {
            let blob = Blob::of(body);
            bytes.insert(blob.sha256, Arc::new(body.to_vec()));
            blob
        };
        let hops = exchange.hops.iter().map(|hop| HopObserved {
            hop: bare(hop),
            wire: keep(&hop.wire),
            decoded: hop.decoded.as_deref().map(&mut keep),
        });
        let (failure, total_us) = (exchange.failure.clone(), exchange.total_us);
        let observed = HttpObserved { tries: Vec::new(), hops: hops.collect(), failure, total_us };
        Self { observation: Observation::Http(observed), bytes }
    }

    fn of_log(seen: &LogObserved, bytes: &[u8]) -> Self {
        let kept = Blob::of(bytes);
        let bytes = BTreeMap::from([(kept.sha256, Arc::new(bytes.to_vec()))]);
        Self { observation: Observation::Log(LogObserved { kept, ..seen.clone() }), bytes }
    }

    fn of_command(result: &CommandResult) -> Self {
        let blobs = [&result.stdout, &result.stderr].map(|stream| Blob::of(&stream.kept));
        let kept = [&result.stdout, &result.stderr].map(|stream| Arc::new(stream.kept.clone()));
        let bytes = blobs.iter().map(|blob| blob.sha256).zip(kept).collect();
        let observed = CommandObserved { result: result.clone(), stdout: blobs[0], stderr: blobs[1] };
        Self { observation: Observation::Command(Box::new(observed)), bytes }
    }
}

/// The facts of a hop without its bodies.
fn bare(hop: &Hop) -> Hop {
    Hop {
        method: hop.method.clone(),
        url: hop.url.clone(),
        version: hop.version.clone(),
        reason: hop.reason.clone(),
        headers: hop.headers.clone(),
        trailers: hop.trailers.clone(),
        sent_headers: hop.sent_headers.clone(),
        peer: hop.peer.clone(),
        wire: Vec::new(),
        decoded: None,
        ..*hop
    }
}

impl Sight {
    /// What the step comes to, and what of that only this process could see.
    pub(super) fn judged(
        &self,
        by: &Onlooker<'_, '_>,
        captures: &Captures,
        redactor: &Redactor,
    ) -> (Judgement, Witnessed) {
        let judge = |witnessed: &Witnessed| by.walk.judge(by.step, by.call, &self.kept, captures, witnessed);
        let kept = judge(&Witnessed::default());
        let Some(came) = self.came.as_ref().filter(|_| self.kept.failure().is_none()) else {
            return (kept, Witnessed::default());
        };
        let witnessed = Witnessed::between(&kept, &came.judged(by), &|value| redactor.hidden_in(value));
        if witnessed.is_empty() { (kept, witnessed) } else { (judge(&witnessed), witnessed) }
    }

    /// Of an exchange: secrets that it shows are learned and replaced, its bytes captured, its facts kept.
    pub(super) fn of_http(
        exchange: Exchange,
        by: &Onlooker<'_, '_>,
        redactor: &mut Redactor,
        captures: &mut Captures,
    ) -> Self {
        redactor.study(&exchange);
        let looks = by.live.is_some() || by.saves_secrets();
        let mut came = looks.then(|| Came::of_http(&exchange));
        by.learn_saved(came.as_ref(), redactor);
        if came.is_none() && shows(&exchange, redactor) {
            came = Some(Came::of_http(&exchange));
        }
        let asked = exchange.hops.first().map(|hop| hop.url.clone());
        let mut kept = kept_http(exchange, "body", redactor, captures);
        if let (Call::Http(sent), Call::Http(written)) = (by.live.map_or(by.call, |live| &live.call), by.call) {
            as_written(&mut kept, asked.as_deref(), sent, written);
        }
        Self { kept: Observation::Http(kept), came }
    }

    /// The same of what a command gave.
    pub(super) fn of_command(
        result: CommandResult,
        by: &Onlooker<'_, '_>,
        redactor: &mut Redactor,
        captures: &mut Captures,
    ) -> Self {
        redactor.study_output(&result.stdout.kept);
        redactor.study_output(&result.stderr.kept);
        let looks = by.live.is_some() || by.saves_secrets();
        let mut came = looks.then(|| Came::of_command(&result));
        by.learn_saved(came.as_ref(), redactor);
        if came.is_none() && [&result.stdout, &result.stderr].iter().any(|stream| redactor.finds(&stream.kept)) {
            came = Some(Came::of_command(&result));
        }
        Self { kept: Observation::Command(Box::new(kept_command(result, redactor, captures))), came }
    }

    /// The same of what a service wrote.
    pub(super) fn of_log(
        mut seen: LogObserved,
        bytes: Vec<u8>,
        by: &Onlooker<'_, '_>,
        redactor: &mut Redactor,
        captures: &mut Captures,
    ) -> Self {
        redactor.study_output(&bytes);
        let came = (by.live.is_some() || redactor.finds(&bytes)).then(|| Came::of_log(&seen, &bytes));
        let (bytes, redactions) = redactor.hide(bytes, !seen.complete);
        seen.kept = captures.add("log", "text/plain", bytes, redactions);
        Self { kept: Observation::Log(seen), came }
    }

    /// The tries of a polling step, in the order in which they were made.
    pub(super) fn set_tries(&mut self, tries: &[Try]) {
        if let Observation::Http(http) = &mut self.kept {
            http.tries = tries.to_vec();
        }
    }

    /// Replaces what became known for a secret since it was seen: another case may have learned it while this one waited.
    /// Bytes stay as they are; they were written down at once.
    pub(super) fn hide_again(&mut self, by: &Onlooker<'_, '_>, redactor: &Redactor) {
        let Observation::Http(http) = &mut self.kept else { return };
        for (position, HopObserved { hop, .. }) in http.hops.iter_mut().enumerate() {
            // The target stands in the intent already, as it is here.
            let planned = position == 0 && matches!(by.call, Call::Http(call) if call.url == hop.url);
            let url = if planned { hop.url.clone() } else { redactor.text(&hop.url) };
            hide_texts(hop, redactor);
            hop.url = url;
        }
        if let Some(failure) = &mut http.failure {
            failure.message = redactor.text(&failure.message);
        }
    }

    /// Ends a polling from outside: what came last is no answer to the question.
    pub(super) fn end_early(&mut self, failure: Failure) {
        match &mut self.kept {
            Observation::Http(http) => {
                http.failure.get_or_insert(failure);
            }
            Observation::Log(log) => log.failure = Some(failure),
            Observation::Command(_) => {}
        }
    }
}

impl Onlooker<'_, '_> {
    fn saves_secrets(&self) -> bool {
        self.step.saves.iter().any(|save| self.secrets.contains(&save.name))
    }

    /// What the plan puts where credentials stand is a secret from the answer on that it is taken from.
    fn learn_saved(&self, came: Option<&Came>, redactor: &mut Redactor) {
        let Some(came) = came.filter(|_| self.saves_secrets()) else { return };
        for (name, value) in came.judged(self).saved.into_iter().filter(|(name, _)| self.secrets.contains(name)) {
            if let Some(text) = value.as_text() {
                redactor.learn(&name, text);
            }
        }
    }
}

/// What the plan says of the target and of headers stands as it is written down, whatever of it was sent: the border of
/// a body in parts is a digest of them.
fn as_written(kept: &mut HttpObserved, asked: Option<&str>, sent: &HttpCall, written: &HttpCall) {
    if let Some(first) = kept.hops.first_mut().filter(|_| asked == Some(&sent.url)) {
        first.hop.url.clone_from(&written.url);
    }
    for (name, value) in kept.hops.iter_mut().flat_map(|hop| &mut hop.hop.sent_headers) {
        let mut pairs = sent.headers.iter().zip(&written.headers);
        let same = pairs.find(|((known, _), _)| known.eq_ignore_ascii_case(name));
        if let Some(((_, Field::Text(live)), (_, Field::Text(text)))) = same
            && live != text
        {
            value.clone_from(text);
        }
    }
}

/// Whether something that is known for a secret stands in an exchange.
fn shows(exchange: &Exchange, redactor: &Redactor) -> bool {
    let hop = |hop: &Hop| {
        let lines = hop.headers.iter().chain(&hop.trailers).chain(&hop.sent_headers);
        redactor.finds(hop.url.as_bytes())
            || lines
                .into_iter()
                .any(|(name, value)| redactor.finds(value.as_bytes()) || redactor.finds(name.as_bytes()))
            || redactor.finds(hop.decoded.as_deref().unwrap_or(&hop.wire))
    };
    !redactor.is_empty() && exchange.hops.iter().any(hop)
}

/// Takes the bytes of an exchange into captures, secrets replaced, and keeps the facts.
pub(super) fn kept_http(exchange: Exchange, role: &str, redactor: &Redactor, captures: &mut Captures) -> HttpObserved {
    let hops = exchange.hops.into_iter().map(|hop| kept_hop(hop, role, redactor, captures)).collect();
    let failure = exchange.failure.map(|failure| Failure { message: redactor.text(&failure.message), ..failure });
    HttpObserved { tries: Vec::new(), hops, failure, total_us: exchange.total_us }
}

/// Replaces secrets in what a hop says beside its bodies.
fn hide_texts(hop: &mut Hop, redactor: &Redactor) {
    for (name, value) in hop.headers.iter_mut().chain(&mut hop.trailers).chain(&mut hop.sent_headers) {
        *name = redactor.text(name);
        *value = redactor.text(value);
    }
    hop.url = redactor.text(&hop.url);
    hop.reason = redactor.text(&hop.reason);
}

fn kept_hop(mut hop: Hop, role: &str, redactor: &Redactor, captures: &mut Captures) -> HopObserved {
    hide_texts(&mut hop, redactor);
    let media = hop.media().unwrap_or("application/octet-stream").to_owned();
    let cut = !hop.complete;
    let wire = std::mem::take(&mut hop.wire);
    let (wire, decoded) = match hop.decoded.take() {
        None if redactor.is_empty() => (captures.add(role, &media, wire, 0), None),
        None => {
            // Coded bytes that nobody decoded hide what they hold: what can be read of them stands in their place.
            let (seen, hidden) = redactor.hide(glimpse(&hop.headers, &wire, GLIMPSE), cut);
            let (bytes, redactions) = if hidden > 0 { (seen, hidden) } else { redactor.hide(wire, cut) };
            (captures.add(role, &media, bytes, redactions), None)
        }
        Some(decoded) => {
            let (bytes, redactions) = redactor.hide(decoded, cut);
            let decoded = captures.add(role, &media, bytes, redactions);
            // A coded body would carry the secret that was just replaced in the decoded one.
            let wire = if redactions > 0 { decoded } else { captures.add("wire", "application/octet-stream", wire, 0) };
            (wire, Some(decoded))
        }
    };
    HopObserved { hop, wire, decoded }
}

fn kept_command(mut result: CommandResult, redactor: &Redactor, captures: &mut Captures) -> CommandObserved {
    let mut blobs = Vec::new();
    for (role, captured) in [("stdout", &mut result.stdout), ("stderr", &mut result.stderr)] {
        let cut = !captured.complete || captured.whole.is_some();
        let (bytes, redactions) = redactor.hide(std::mem::take(&mut captured.kept), cut);
        blobs.push(captures.add(role, "text/plain", bytes, redactions));
    }
    if let Some(failure) = &mut result.failure {
        failure.message = redactor.text(&failure.message);
    }
    CommandObserved { result, stdout: blobs[0], stderr: blobs[1] }
}
