//! The entries of a service that a run starts: `service.intent`, `service.up`, `service.down`. Together they are a receipt:
//! what was to be started, which process it became, what showed that it was ready, and how it ended.

use super::body::{Body, Fields};
use crate::ids::{Digest, Id};
use crate::json::Json;

/// `service.intent`: a service is about to be started, or found to run already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceIntent {
    /// Its id.
    pub service: Id,
    /// What is to be started and how, as [`crate::service::Service::to_json`] writes it.
    pub start: Json,
    /// Random text in the environment of everything that it starts.
    pub mark: String,
    /// Its ports that answered already.
    pub occupied: Vec<u16>,
}

/// `service.up`: a process was started, or became ready, or one that ran already is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceUp {
    /// Number of the intent's entry.
    pub intent: u64,
    /// Its id.
    pub service: Id,
    /// How far it is.
    pub state: UpState,
    /// The process, where we started one.
    pub process: Option<Process>,
    /// Who holds its ports.
    pub ports: Vec<(u16, Holder)>,
    /// What was read as readiness, or why there is none.
    pub read: Option<String>,
    /// How often it was asked.
    pub tries: u64,
    /// Time since its start in ms.
    pub waited_ms: u64,
}

/// How far a service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpState {
    /// Its process runs.
    Started,
    /// It is ready.
    Ready,
    /// It runs and did not become ready; let through.
    Unready,
    /// It ran already and is used.
    Adopted,
}

/// Which process a service is: what has to be the same before anything is signalled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u64,
    /// Process group.
    pub pgid: u64,
    /// Digest of its command line as the system shows it; absent where the system shows none.
    pub command_sha256: Option<Digest>,
    /// When it started, in the system's ticks since it booted; absent where the system does not say.
    pub started_ticks: Option<u64>,
    /// Digest of the id of this boot: ticks count from it.
    pub boot_sha256: Option<Digest>,
}

/// Who holds a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The service that was started.
    Service,
    /// Something else.
    Other,
    /// Nobody.
    Nobody,
    /// The system does not say.
    Unknown,
}

/// `service.down`: the end of a service, or why there was none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceDown {
    /// Number of the intent's entry.
    pub intent: u64,
    /// Its id.
    pub service: Id,
    /// Why.
    pub cause: DownCause,
    /// What became of its process.
    pub status: DownStatus,
    /// What is to be said of it, as a sentence.
    pub message: Option<String>,
    /// Exit code of its process, if it was seen.
    pub exit: Option<i32>,
    /// Signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Whether TERM was sent to its group.
    pub term_sent: bool,
    /// Whether KILL was sent to its group.
    pub kill_sent: bool,
    /// Processes that left its group and had to be ended.
    pub left_over: u64,
    /// What it wrote; absent where nothing was captured.
    pub log: Option<LogKept>,
}

/// Why a service is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownCause {
    /// The run came to its end.
    End,
    /// Its port answered before it was started.
    Occupied,
    /// It could not be started.
    NotStarted,
    /// It did not become ready.
    Unready,
    /// Something else holds its port.
    Foreign,
    /// It ended by itself.
    Died,
    /// The run was taken up after its process had been lost.
    Resumed,
}

/// What became of the process of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownStatus {
    /// There was none of ours.
    Skipped,
    /// It ended after TERM.
    Stopped,
    /// It ended after KILL.
    Killed,
    /// It had ended before.
    AlreadyStopped,
    /// It is not known to be the one that was started; nothing was signalled.
    BlockedBySafety,
    /// It could not be ended.
    Failed,
}

/// What a service wrote: the first bytes kept, all of them counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogKept {
    /// Digest of the kept bytes.
    pub sha256: Digest,
    /// How many were kept.
    pub bytes: u64,
    /// How many there were.
    pub total: u64,
    /// Digest of them all, where not all were kept.
    pub whole: Option<Digest>,
    /// Whether its end was reached.
    pub complete: bool,
}

macro_rules! words {
    ($name:ident: $($variant:ident = $text:literal),*) => {
        impl $name {
            /// As entries write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words!(UpState: Started = "started", Ready = "ready", Unready = "unready", Adopted = "adopted");
words!(Holder: Service = "service", Other = "other", Nobody = "nobody", Unknown = "unknown");
words!(DownCause: End = "end", Occupied = "occupied", NotStarted = "not_started", Unready = "unready",
    Foreign = "foreign", Died = "died", Resumed = "resumed");
words!(DownStatus: Skipped = "skipped", Stopped = "stopped", Killed = "killed", AlreadyStopped = "already_stopped",
    BlockedBySafety = "blocked_by_safety", Failed = "failed");

fn port(value: &Json) -> Option<u16> {
    u16::try_from(value.as_u64()?).ok().filter(|port| *port > 0)
}

impl Body for ServiceIntent {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            service: f.id("service")?,
            start: f.take("start")?,
            mark: f.text("mark")?,
            occupied: f.list("occupied", |value| port(&value))?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("service", Json::from(&self.service)),
            ("start", self.start.clone()),
            ("mark", self.mark.as_str().into()),
            ("occupied", Json::list(self.occupied.iter().map(|port| u64::from(*port)))),
        ])
    }
}

impl Body for Process {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            pid: f.number("pid")?,
            pgid: f.number("pgid")?,
            command_sha256: f.optional_digest("command_sha256")?,
            started_ticks: f.nullable("started_ticks", |value| value.as_u64())?,
            boot_sha256: f.optional_digest("boot_sha256")?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("pid", Json::from(self.pid)),
            ("pgid", self.pgid.into()),
            ("command_sha256", self.command_sha256.into()),
            ("started_ticks", self.started_ticks.into()),
            ("boot_sha256", self.boot_sha256.into()),
        ])
    }
}

impl Body for ServiceUp {
    fn fields(f: &mut Fields) -> Option<Self> {
        let held =
            |value: Json| Fields::all(value, |f| Some((port(&f.take("port")?)?, Holder::parse(&f.text("holder")?)?)));
        Some(Self {
            intent: f.number("intent")?,
            service: f.id("service")?,
            state: UpState::parse(&f.text("state")?)?,
            process: f.nullable("process", Process::read)?,
            ports: f.list("ports", held)?,
            read: f.optional_text("read")?,
            tries: f.number("tries")?,
            waited_ms: f.number("waited_ms")?,
        })
    }

    fn write(&self) -> Json {
        let held = self.ports.iter().map(|(port, holder)| {
            Json::map([("port", Json::from(u64::from(*port))), ("holder", holder.as_str().into())])
        });
        Json::map([
            ("intent", Json::from(self.intent)),
            ("service", (&self.service).into()),
            ("state", self.state.as_str().into()),
            ("process", self.process.as_ref().map_or(Json::Null, Body::write)),
            ("ports", Json::List(held.collect())),
            ("read", self.read.clone().into()),
            ("tries", self.tries.into()),
            ("waited_ms", self.waited_ms.into()),
        ])
    }
}

impl Body for LogKept {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            sha256: f.digest("sha256")?,
            bytes: f.number("bytes")?,
            total: f.number("total")?,
            whole: f.optional_digest("whole")?,
            complete: f.bool("complete")?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("sha256", Json::from(self.sha256)),
            ("bytes", self.bytes.into()),
            ("total", self.total.into()),
            ("whole", self.whole.into()),
            ("complete", self.complete.into()),
        ])
    }
}

impl ServiceDown {
    /// Of a service that nothing was done to.
    #[must_use]
    pub fn skipped(intent: u64, service: &Id, cause: DownCause) -> Self {
        Self {
            intent,
            service: service.clone(),
            cause,
            status: DownStatus::Skipped,
            message: None,
            exit: None,
            signal: None,
            term_sent: false,
            kill_sent: false,
            left_over: 0,
            log: None,
        }
    }
}

impl Body for ServiceDown {
    fn fields(f: &mut Fields) -> Option<Self> {
        let code = |value: Json| match value {
            Json::Number(number) => i32::try_from(number.as_i64()?).ok(),
            _ => None,
        };
        Some(Self {
            intent: f.number("intent")?,
            service: f.id("service")?,
            cause: DownCause::parse(&f.text("cause")?)?,
            status: DownStatus::parse(&f.text("status")?)?,
            message: f.optional_text("message")?,
            exit: f.nullable("exit", code)?,
            signal: f.nullable("signal", code)?,
            term_sent: f.bool("term_sent")?,
            kill_sent: f.bool("kill_sent")?,
            left_over: f.number("left_over")?,
            log: f.nullable("log", LogKept::read)?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("intent", Json::from(self.intent)),
            ("service", (&self.service).into()),
            ("cause", self.cause.as_str().into()),
            ("status", self.status.as_str().into()),
            ("message", self.message.clone().into()),
            ("exit", self.exit.into()),
            ("signal", self.signal.into()),
            ("term_sent", self.term_sent.into()),
            ("kill_sent", self.kill_sent.into()),
            ("left_over", self.left_over.into()),
            ("log", self.log.as_ref().map_or(Json::Null, Body::write)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> Id {
        Id::parse("shop").unwrap()
    }

    #[test]
    fn entries_read_back_and_take_no_field_more() {
        let intent = ServiceIntent { service: id(), start: Json::Null, mark: "m".into(), occupied: vec![80] };
        let process = Process {
            pid: 7,
            pgid: 7,
            command_sha256: Some(Digest::of(b"a")),
            started_ticks: Some(9),
            boot_sha256: None,
        };
        let up = ServiceUp {
            intent: 3,
            service: id(),
            state: UpState::Ready,
            process: Some(process),
            ports: vec![(80, Holder::Service)],
            read: Some("200".into()),
            tries: 2,
            waited_ms: 500,
        };
        let down = ServiceDown {
            intent: 3,
            service: id(),
            cause: DownCause::End,
            status: DownStatus::Stopped,
            message: None,
            exit: None,
            signal: Some(15),
            term_sent: true,
            kill_sent: false,
            left_over: 0,
            log: Some(LogKept { sha256: Digest::of(b""), bytes: 0, total: 0, whole: None, complete: true }),
        };
        assert_eq!(ServiceIntent::read(intent.write()), Some(intent.clone()));
        assert_eq!(ServiceUp::read(up.write()), Some(up.clone()));
        assert_eq!(ServiceDown::read(down.write()), Some(down.clone()));
        let more = |body: Json| {
            let Json::Map(mut map) = body else { unreachable!() };
            map.push("more", 1);
            Json::Map(map)
        };
        assert_eq!(ServiceIntent::read(more(intent.write())), None);
        assert_eq!(ServiceUp::read(more(up.write())), None);
        assert_eq!(ServiceDown::read(more(down.write())), None);
    }
}
