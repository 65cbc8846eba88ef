//! Whether what a step saw hangs together with what it sent: the same method and target, redirects inside the
//! environment, bytes that were captured for it, an end that is said to be one, and what it used.

use crate::codes::Code;
use crate::coding;
use crate::environment::Origin;
use crate::ids::Digest;
use crate::invoke::Call;
use crate::journal::body::{ActionCommit, EvidenceCaptured};
use crate::journal::observation::{CommandObserved, HopObserved, HttpObserved, LogObserved, Observation, Try};
use crate::observe::{FailureKind, Hop, HttpCall};
use crate::plan::HttpVersion;
use crate::recorded::ActionRecord;
use crate::redact::in_bytes;
use crate::step::Evidence;
use crate::vars::ENV_START;

/// What does not hang together.
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: String,
}

fn differs(message: impl Into<String>) -> Option<Fault> {
    Some(Fault { code: Code::IntentDiffers, message: message.into() })
}

/// The first thing that does not fit, if one does not.
pub(super) fn fault(
    call: &Call,
    observation: &Observation,
    commit: &ActionCommit,
    action: &ActionRecord,
    evidence: &dyn Evidence,
) -> Option<Fault> {
    let captured: Vec<(Digest, u64)> = action.evidence.iter().map(|e| (e.sha256, e.bytes)).collect();
    foreign(observation, &captured)
        .or_else(|| request(call, action))
        .or_else(|| match (call, observation) {
            (Call::Http(call), Observation::Http(seen)) => {
                http(call, seen).or_else(|| undone(call, seen, &action.evidence, evidence))
            }
            (Call::Command(_), Observation::Command(seen)) => command(seen),
            (Call::Log(_), Observation::Log(seen)) => log(seen),
            _ => differs("it was seen by another probe than the plan names"),
        })
        .or_else(|| used(observation, commit))
}

/// A kept request body is the one that the call says; one that secrets were taken out of cannot be compared.
fn request(call: &Call, action: &ActionRecord) -> Option<Fault> {
    let sent = match call {
        Call::Http(http) => http.body.as_deref().map(Digest::of),
        Call::Command(_) | Call::Log(_) => None,
    };
    let kept = action.evidence.iter().find(|evidence| evidence.role == "request")?;
    let message = "what was kept as its request is not what it sent".to_owned();
    (kept.redactions == 0 && Some(kept.sha256) != sent).then_some(Fault { code: Code::EvidenceForeign, message })
}

/// Bytes that it cites and that were not captured for it.
pub(super) fn foreign(observation: &Observation, captured: &[(Digest, u64)]) -> Option<Fault> {
    let cited = observation.blobs().into_iter().find(|blob| !captured.iter().any(|(digest, _)| digest == blob));
    let sizes = sizes(observation);
    let message = match cited {
        Some(blob) => format!("cites {blob}, which was not captured for it"),
        None => {
            let (blob, bytes) = sizes.into_iter().find(|size| !captured.contains(size))?;
            format!("cites {blob} with {bytes} bytes, which it does not have")
        }
    };
    Some(Fault { code: Code::EvidenceForeign, message })
}

fn sizes(observation: &Observation) -> Vec<(Digest, u64)> {
    match observation {
        Observation::Http(http) => {
            let blobs = http.hops.iter().flat_map(|hop| [Some(hop.wire), hop.decoded]).flatten();
            blobs.map(|blob| (blob.sha256, blob.bytes)).collect()
        }
        Observation::Command(command) => {
            [command.stdout, command.stderr].into_iter().map(|blob| (blob.sha256, blob.bytes)).collect()
        }
        Observation::Log(log) => vec![(log.kept.sha256, log.kept.bytes)],
    }
}

/// What was asked is what the call says, and every hop lies inside the environment (design.md section 10).
pub(super) fn http(call: &HttpCall, seen: &HttpObserved) -> Option<Fault> {
    for (position, observed) in seen.hops.iter().enumerate() {
        let hop = &observed.hop;
        if !Origin::allowed(&call.origins, &hop.url) {
            return differs(format!("it spoke to {}, which lies outside the environment", hop.url));
        }
        if let Some(fault) = way(call, hop) {
            return Some(fault);
        }
        let same = hop.method == call.method && same_url(&hop.url, &call.url);
        if position == 0 && !same {
            return differs(format!("it asked {} {}, not what the plan says", hop.method, hop.url));
        }
    }
    if seen.failure.is_none() && seen.hops.iter().any(|observed| !observed.hop.complete) {
        return differs("an answer was cut and that is not said to be a failure");
    }
    let body = call.body.as_ref().map_or(0, |body| body.len() as u64);
    // What stands in the place of a secret has another length.
    let hidden = call.body.as_deref().is_some_and(|body| in_bytes(body) || names_credential(body));
    if !hidden && seen.hops.first().is_some_and(|observed| observed.hop.sent_bytes != body) {
        return differs("it sent another number of bytes than the plan says");
    }
    if seen.hops.len() > usize::from(call.follow_redirects) + 1 {
        return differs("it followed more redirects than the plan allows");
    }
    tries(seen)
}

/// Whether a credential is named in a body, in the spelling of a form too.
fn names_credential(body: &[u8]) -> bool {
    [ENV_START, "%7Benv%3A"].iter().any(|start| memchr::memmem::find(body, start.as_bytes()).is_some())
}

/// It went the way that the plan names, and spoke the version that the plan asks for.
fn way(call: &HttpCall, hop: &Hop) -> Option<Fault> {
    let peer = &hop.peer;
    if peer.proxy != call.proxy.as_ref().map(|proxy| proxy.origin.to_string()) {
        return differs("it went through another proxy than the plan names");
    }
    let socket = peer.address.strip_prefix("unix:");
    if socket != call.unix_socket.as_deref() {
        return differs("it went to another socket than the plan names");
    }
    let two = hop.version == "2";
    match call.version {
        HttpVersion::One if two => differs("it spoke HTTP/2, and the plan asks for 1.1"),
        HttpVersion::Two if !two => differs(format!("it spoke HTTP/{}, and the plan asks for 2", hop.version)),
        HttpVersion::Auto | HttpVersion::One | HttpVersion::Two => None,
    }
}

/// What a polling step saw is what its last try saw, or the last before those that were cut off. A polling that ended
/// from outside, between two tries, says so in the place of the answer.
fn tries(seen: &HttpObserved) -> Option<Fault> {
    if seen.tries.is_empty() {
        return None;
    }
    let told = Try::of(seen);
    let outside = |kind| matches!(kind, FailureKind::BudgetExceeded | FailureKind::Cancelled);
    let last = match &seen.failure {
        Some(failure) if outside(failure.kind) && seen.tries.last() != Some(&told) => Try { code: None, ..told },
        _ => told,
    };
    // A complete answer that others follow decides only where all of those were cut off.
    let whole = seen.tries.iter().rposition(|one| !one.is_cut());
    let decides = whole.filter(|at| seen.tries[*at].code.is_none()).unwrap_or(seen.tries.len() - 1);
    if seen.tries[decides] == last {
        return None;
    }
    differs("what it saw is not what the try saw that decides")
}

/// The bytes that checks read are those that came, their codings undone. Where secrets were taken out of them, what
/// came is not kept.
pub(super) fn undone(
    call: &HttpCall,
    seen: &HttpObserved,
    captured: &[EvidenceCaptured],
    evidence: &dyn Evidence,
) -> Option<Fault> {
    let redacted = |digest: Digest| captured.iter().any(|one| one.sha256 == digest && one.redactions > 0);
    let differs = |observed: &&HopObserved| {
        let HopObserved { hop, wire, decoded } = observed;
        match decoded {
            None => call.decompress && hop.complete && wire.bytes > 0 && coding::is_coded(&hop.headers),
            Some(decoded) if decoded == wire && redacted(wire.sha256) => false,
            Some(decoded) => match (evidence.bytes(&wire.sha256), evidence.bytes(&decoded.sha256)) {
                (Some(wire), Some(decoded)) => {
                    let cap = call.max_body.min(LARGEST_STAGE);
                    !call.decompress || !coding::gives(&hop.headers, &wire, &decoded, cap)
                }
                // Bytes that are gone are told elsewhere.
                _ => false,
            },
        }
    };
    let hop = &seen.hops.iter().find(differs)?.hop;
    let message = format!("the body that checks read is not what came from {}, its codings undone", hop.url);
    Some(Fault { code: Code::DecodedDiffers, message })
}

/// No stage of undoing is followed beyond this many bytes, whatever the plan allows.
const LARGEST_STAGE: u64 = 1 << 30;

/// Equal once both are written as URLs are; a fragment is never sent.
fn same_url(a: &str, b: &str) -> bool {
    let plain = |text: &str| {
        let mut url = url::Url::parse(text).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    a == b || plain(a).is_some_and(|url| Some(url) == plain(b))
}

/// An end that was forced is no end: exit 0 of a stopped child is never success.
fn command(seen: &CommandObserved) -> Option<Fault> {
    let result = &seen.result;
    let own = matches!(result.termination.as_str(), "exited" | "signalled");
    let forced = !own || result.left_over > 0 || result.term_sent || result.kill_sent;
    if result.failure.is_none() && forced {
        return differs(format!("its end ({}) was forced and is not said to be a failure", result.termination));
    }
    if result.failure.is_none() && !(result.stdout.complete && result.stderr.complete) {
        return differs("its output was cut and that is not said to be a failure");
    }
    if result.failure.is_none() && (result.termination == "signalled") == result.signal.is_none() {
        return differs("how it ended is said in two ways");
    }
    None
}

/// What was looked at lies between the beginning of the case and the look, and what is missing of it is said.
fn log(seen: &LogObserved) -> Option<Fault> {
    if seen.failure.is_some() {
        return None;
    }
    if seen.to < seen.from || (seen.complete && seen.kept.bytes == 0 && seen.to > seen.from) {
        return differs("what was kept of the log is not what was written");
    }
    None
}

/// What the commit counts is what the observation shows.
fn used(observation: &Observation, commit: &ActionCommit) -> Option<Fault> {
    let (probes, output) = match observation {
        Observation::Http(http) => (http.tries.len().max(1) as u64, 0),
        Observation::Command(command) => (1, command.result.stdout.total.saturating_add(command.result.stderr.total)),
        Observation::Log(log) => (1, log.kept.bytes),
    };
    if (commit.probes, commit.output_bytes) == (probes, output) {
        return None;
    }
    let message = format!(
        "it counts {} probes and {} bytes of output; it used {probes} and {output}",
        commit.probes, commit.output_bytes
    );
    Some(Fault { code: Code::BudgetOverdrawn, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Peer, ProxyCall};

    fn call() -> HttpCall {
        HttpCall {
            headers: Vec::new(),
            timeout_ms: 1,
            cookies: true,
            max_body: 1,
            ..HttpCall::get("http://a:1/", Vec::new())
        }
    }

    fn seen(version: &str, address: &str, proxy: Option<&str>) -> Hop {
        let peer = Peer { address: address.into(), proxy: proxy.map(str::to_owned), ..Peer::default() };
        Hop { version: version.into(), peer, ..Hop::default() }
    }

    #[test]
    fn the_way_is_the_plans() {
        let proxy = Box::new(ProxyCall { origin: Origin::of("http://p:1").unwrap(), auth: None });
        let through = HttpCall { proxy: Some(proxy), ..call() };
        let at = HttpCall { unix_socket: Some("s".into()), ..call() };
        let asking = |version| HttpCall { version, ..call() };
        for (call, hop, fits) in [
            (call(), seen("1.1", "1.2.3.4:1", None), true),
            (call(), seen("2", "1.2.3.4:1", None), true),
            (call(), seen("1.1", "1.2.3.4:1", Some("http://p:1")), false),
            (call(), seen("1.1", "unix:s", None), false),
            (through.clone(), seen("1.1", "1.2.3.4:1", Some("http://p:1")), true),
            (through.clone(), seen("1.1", "1.2.3.4:1", Some("http://q:1")), false),
            (through, seen("1.1", "1.2.3.4:1", None), false),
            (at.clone(), seen("1.1", "unix:s", None), true),
            (at.clone(), seen("1.1", "unix:t", None), false),
            (at, seen("1.1", "1.2.3.4:1", None), false),
            (asking(HttpVersion::One), seen("1.0", "a:1", None), true),
            (asking(HttpVersion::One), seen("2", "a:1", None), false),
            (asking(HttpVersion::Two), seen("2", "a:1", None), true),
            (asking(HttpVersion::Two), seen("1.1", "a:1", None), false),
        ] {
            assert_eq!(way(&call, &hop).is_none(), fits, "{hop:?}");
        }
    }
}
