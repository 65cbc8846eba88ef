//! Servers on a free port of the loopback interface, each in a thread of its own, so that tests need no runtime.
//!
//! * [`Server::start`] and [`Server::start_tls`] answer the ordinary [routes].
//! * [`Server::scripted`] and [`Server::scripted_tls`] play [`Act`]s on the bare socket, whatever is asked.
//!
//! * [`Server::proxy`] gives tunnels and forwards requests.
//!
//! Routes speak HTTP/1.1 and HTTP/2. All of them log what they received: [`Server::hits`], [`Server::connections`].

mod certificate;
mod proxy;
pub mod routes;
mod script;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

pub use certificate::Certificate;
pub use script::Act;

/// A request as a server received it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which connection brought it, counted from 1.
    pub connection: usize,
    /// The method.
    pub method: String,
    /// Path and query as sent.
    pub target: String,
    /// Header lines in order, as sent (a script) or with names in lower case and lines of one name together (routes).
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The first header of that name, whatever its case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The path alone.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// What a server received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<(usize, Vec<Request>)>>, Arc<AtomicUsize>);

/// A scripted connection that is open.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Log {
    fn with<R>(&self, act: impl FnOnce(&mut (usize, Vec<Request>)) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says that a connection is open, until the value is dropped.
    fn open(&self) -> Open {
        self.1.fetch_add(1, Ordering::SeqCst);
        Open(Arc::clone(&self.1))
    }

    /// Counts a connection and gives its number.
    fn connection(&self) -> usize {
        self.with(|(count, _)| {
            *count += 1;
            *count
        })
    }

    /// Notes a request and says how many there were on its path, this one included.
    pub(crate) fn note(&self, request: Request) -> usize {
        self.with(|(_, seen)| {
            let before = seen.iter().filter(|other| other.path() == request.path()).count();
            seen.push(request);
            before + 1
        })
    }
}

/// What a server does with its connections.
enum Behaviour {
    Routes(Arc<routes::State>),
    Scripts(Arc<Vec<Vec<Act>>>),
    /// The value of `Proxy-Authorization` that is asked for.
    Proxy(Option<String>),
}

/// Protocols that routes offer under TLS.
const OFFERED: [&str; 2] = ["h2", "http/1.1"];

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    log: Log,
    certificate: Option<Certificate>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server with the ordinary routes.
    #[must_use]
    pub fn start() -> Self {
        Self::launch(Behaviour::Routes(Arc::default()), None)
    }

    /// The same behind TLS, with a self-signed certificate for `localhost` and `127.0.0.1`.
    #[must_use]
    pub fn start_tls() -> Self {
        Self::start_tls_with(Certificate::self_signed(&["localhost", "127.0.0.1"]))
    }

    /// The same behind TLS with a given certificate.
    #[must_use]
    pub fn start_tls_with(certificate: Certificate) -> Self {
        Self::launch(Behaviour::Routes(Arc::default()), Some(certificate))
    }

    /// The same, asking each client for a certificate that `clients` vouches for.
    #[must_use]
    pub fn start_tls_asking(certificate: Certificate, clients: &Certificate) -> Self {
        let tls = certificate.server_config(&OFFERED, Some(clients));
        Self::launch_with(Behaviour::Routes(Arc::default()), Some(certificate), Some(tls), None)
    }

    /// The same behind TLS, with other protocols to agree on (ALPN); none: it takes no part.
    #[must_use]
    pub fn start_tls_offering(protocols: &[&str]) -> Self {
        let certificate = Certificate::self_signed(&["localhost", "127.0.0.1"]);
        let tls = certificate.server_config(protocols, None);
        Self::launch_with(Behaviour::Routes(Arc::default()), Some(certificate), Some(tls), None)
    }

    /// A server with the ordinary routes that listens at a Unix socket as well.
    #[must_use]
    pub fn start_at(socket: &Path) -> Self {
        let listener = std::os::unix::net::UnixListener::bind(socket).expect("a socket");
        listener.set_nonblocking(true).expect("a listener without blocking");
        Self::launch_with(Behaviour::Routes(Arc::default()), None, None, Some(listener))
    }

    /// A proxy. With `authorization` it refuses whoever does not send this value of `Proxy-Authorization`.
    #[must_use]
    pub fn proxy(authorization: Option<&str>) -> Self {
        Self::launch(Behaviour::Proxy(authorization.map(str::to_owned)), None)
    }

    /// A server that plays the n-th script on its n-th connection, the last one on all further ones.
    #[must_use]
    pub fn scripted(scripts: Vec<Vec<Act>>) -> Self {
        Self::launch(Behaviour::Scripts(Arc::new(scripts)), None)
    }

    /// The same behind TLS, with a self-signed certificate.
    #[must_use]
    pub fn scripted_tls(scripts: Vec<Vec<Act>>) -> Self {
        let certificate = Certificate::self_signed(&["localhost", "127.0.0.1"]);
        Self::launch(Behaviour::Scripts(Arc::new(scripts)), Some(certificate))
    }

    /// A server that waits for one request on each connection, sends these bytes and closes.
    #[must_use]
    pub fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        Self::scripted(vec![vec![Act::Read, Act::Send(bytes.into())]])
    }

    fn launch(behaviour: Behaviour, certificate: Option<Certificate>) -> Self {
        let protocols = if matches!(behaviour, Behaviour::Routes(_)) { &OFFERED[..] } else { &OFFERED[1..] };
        let tls = certificate.as_ref().map(|certificate| certificate.server_config(protocols, None));
        Self::launch_with(behaviour, certificate, tls, None)
    }

    fn launch_with(
        behaviour: Behaviour,
        certificate: Option<Certificate>,
        tls: Option<Arc<ServerConfig>>,
        socket: Option<std::os::unix::net::UnixListener>,
    ) -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a listener without blocking");
        let address = listener.local_addr().expect("the listener's address");
        let log = Log::default();
        let (stop, stopped) = oneshot::channel();
        let noted = log.clone();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                if let (Some(socket), Behaviour::Routes(state)) = (socket, &behaviour) {
                    let socket = UnixListener::from_std(socket).expect("a listener");
                    tokio::spawn(accept_at(socket, Arc::clone(state), noted.clone()));
                }
                tokio::select! {
                    () = accept(listener, behaviour, tls, noted) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, log, certificate, stop: Some(stop), thread: Some(thread) }
    }

    /// Address and port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT` or `https://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The URL of a path, which begins with `/`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Every request so far, in the order in which they were received.
    #[must_use]
    pub fn hits(&self) -> Vec<Request> {
        self.log.with(|(_, seen)| seen.clone())
    }

    /// How many connections were made so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.log.with(|(count, _)| *count)
    }

    /// How many scripted connections are still being played.
    #[must_use]
    pub fn open(&self) -> usize {
        self.log.1.load(Ordering::SeqCst)
    }

    /// The certificate as PEM; empty without TLS.
    #[must_use]
    pub fn pem(&self) -> String {
        self.certificate.as_ref().map(|c| c.pem().to_owned()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A port of the loopback interface on which nobody listens.
#[must_use]
pub fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("the listener's address").port()
}

async fn accept_at(listener: UnixListener, state: Arc<routes::State>, log: Log) {
    while let Ok((stream, _)) = listener.accept().await {
        let number = log.connection();
        tokio::spawn(routes::serve(stream, number, Arc::clone(&state), log.clone()));
    }
}

async fn accept(listener: TcpListener, behaviour: Behaviour, tls: Option<Arc<ServerConfig>>, log: Log) {
    let acceptor = tls.map(TlsAcceptor::from);
    while let Ok((stream, _)) = listener.accept().await {
        let number = log.connection();
        let _ = stream.set_nodelay(true);
        match &behaviour {
            Behaviour::Routes(state) => {
                let (state, log, acceptor) = (Arc::clone(state), log.clone(), acceptor.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => routes::serve(stream, number, state, log).await,
                        Some(acceptor) => match acceptor.accept(stream).into_fallible().await {
                            Ok(stream) => routes::serve(stream, number, state, log).await,
                            Err((_, stream)) => linger(stream).await,
                        },
                    }
                });
            }
            Behaviour::Proxy(authorization) => {
                tokio::spawn(proxy::serve(stream, number, authorization.clone(), log.clone()));
            }
            Behaviour::Scripts(scripts) => {
                let Some(acts) = scripts.get(number - 1).or_else(|| scripts.last()).cloned() else { continue };
                let (log, acceptor) = (log.clone(), acceptor.clone());
                let open = log.open();
                tokio::spawn(async move {
                    play(stream, number, acts, acceptor, log).await;
                    drop(open);
                });
            }
        }
    }
}

/// Lets the other side read the alert: closing at once, with bytes unread, would reset the connection.
async fn linger(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest).await, Ok(n) if n > 0) {}
}

async fn play(stream: TcpStream, number: usize, acts: Vec<Act>, acceptor: Option<TlsAcceptor>, log: Log) {
    if acts.contains(&Act::Reset) {
        // A close that leaves no lingering data resets the connection.
        let _ = stream.set_zero_linger();
    }
    match acceptor {
        None => script::play(stream, number, acts, &log).await,
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                script::play(stream, number, acts, &log).await;
            }
        }
    }
}
