//! `runtime.observed`: what was seen of the runtime.

use super::body::{Body, Fields};
use super::observation::Observation;
use crate::json::Json;

/// `runtime.observed`: something about the runtime that no step owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeObserved {
    /// A bare connection before the first step.
    Preflight {
        /// The origin.
        origin: String,
        /// Kind and message of the failure; both absent when it answered.
        failure: Option<(String, String)>,
    },
    /// The identity probe: which build is running.
    Identity {
        /// `before` or `after`.
        phase: String,
        /// The call.
        call: Json,
        /// What was observed.
        observation: Box<Observation>,
    },
    /// A run that was not closed is taken up to be closed.
    Resumed {
        /// Bytes of an unfinished last line that were dropped.
        dropped_bytes: u64,
    },
    /// Something could not be recorded or read back.
    RecordingFailed {
        /// What.
        message: String,
    },
    /// A last look before the run was closed found a secret in what had been written down.
    SecretKept {
        /// Where: `entry 12`, `evidence/ab/…`.
        places: Vec<String>,
    },
}

impl Body for RuntimeObserved {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(match f.text("what")?.as_str() {
            "preflight" => Self::Preflight {
                origin: f.text("origin")?,
                failure: match (f.optional_text("failure")?, f.optional_text("message")?) {
                    (Some(kind), Some(message)) => Some((kind, message)),
                    (None, None) => None,
                    _ => return None,
                },
            },
            "identity" => Self::Identity {
                phase: f.text("phase")?,
                call: f.take("call")?,
                observation: Box::new(f.map("observation", Observation::fields)?),
            },
            "resumed" => Self::Resumed { dropped_bytes: f.number("dropped_bytes")? },
            "recording_failed" => Self::RecordingFailed { message: f.text("message")? },
            "secret_kept" => Self::SecretKept {
                places: f.list("places", |place| match place {
                    Json::Text(place) => Some(place),
                    _ => None,
                })?,
            },
            _ => return None,
        })
    }

    fn write(&self) -> Json {
        match self {
            Self::Preflight { origin, failure } => Json::map([
                ("what", Json::from("preflight")),
                ("origin", origin.into()),
                ("failure", failure.as_ref().map(|f| f.0.clone()).into()),
                ("message", failure.as_ref().map(|f| f.1.clone()).into()),
            ]),
            Self::Identity { phase, call, observation } => Json::map([
                ("what", Json::from("identity")),
                ("phase", phase.into()),
                ("call", call.clone()),
                ("observation", observation.write()),
            ]),
            Self::Resumed { dropped_bytes } => {
                Json::map([("what", Json::from("resumed")), ("dropped_bytes", (*dropped_bytes).into())])
            }
            Self::RecordingFailed { message } => {
                Json::map([("what", Json::from("recording_failed")), ("message", message.into())])
            }
            Self::SecretKept { places } => {
                Json::map([("what", Json::from("secret_kept")), ("places", Json::list(places))])
            }
        }
    }
}
