//! The streams under a connection: TCP, or a Unix socket of the project.

use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use probity_core::observe::{Failure, FailureKind};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

use super::{failed, in_words};

/// Bytes both ways.
pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Io for S {}

/// A stream of any kind.
pub(crate) type Stream = Box<dyn Io>;

/// Longer paths do not fit into a socket's address (`sun_path`), in bytes.
const LONGEST: usize = 100;

/// Connects to a socket by its name inside the project.
///
/// # Errors
/// `target_refused` when the name leads outside, `network_denied`, `target_unreachable`.
pub(crate) async fn connect_unix(root: &Path, name: &str) -> Result<UnixStream, Failure> {
    let path = inside(root, name).map_err(|e| told(name, &e))?;
    let Some(path) = path else {
        let message = format!("the Unix socket {name} lies outside the project; nothing was sent");
        return Err(failed(FailureKind::TargetRefused, message));
    };
    let connected = match (path.parent(), path.file_name()) {
        (Some(folder), Some(file)) if path.as_os_str().len() > LONGEST => match std::fs::File::open(folder) {
            Ok(folder) => {
                // The folder stays open until the socket is connected.
                let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(file);
                UnixStream::connect(short).await
            }
            Err(e) => Err(e),
        },
        _ => UnixStream::connect(&path).await,
    };
    connected.map_err(|e| told(name, &e))
}

/// Where the socket is; `None` when that is outside the project.
fn inside(root: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    let root = root.canonicalize()?;
    let path = root.join(name).canonicalize()?;
    Ok(path.starts_with(&root).then_some(path))
}

fn told(name: &str, error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => FailureKind::NetworkDenied,
        _ => FailureKind::TargetUnreachable,
    };
    failed(kind, format!("no connection to the Unix socket {name}: {}", in_words(error)))
}
