//! A server whose answers wait for each other: each request is answered in a thread of its own, which can see what else
//! was asked for by then.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// What was asked for so far: method and target.
#[derive(Default)]
pub(crate) struct Asked {
    seen: Mutex<Vec<String>>,
    more: Condvar,
}

impl Asked {
    /// Waits until so many requests of this name have come. Not for ever: a test that never gets there fails by its answer.
    pub(crate) fn wait(&self, name: &str, times: usize) -> bool {
        let count = |seen: &[String]| seen.iter().filter(|one| *one == name).count();
        let seen = self.seen.lock().unwrap();
        let (seen, _) =
            self.more.wait_timeout_while(seen, Duration::from_secs(20), |seen| count(seen) < times).unwrap();
        count(&seen) >= times
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    fn note(&self, name: &str) {
        self.seen.lock().unwrap().push(name.to_owned());
        self.more.notify_all();
    }
}

/// The server. Its threads end with the test's process.
pub(crate) struct Stage {
    pub(crate) origin: String,
}

impl Stage {
    /// Answers each request by what `answer` gives for it: everything that is written to the socket.
    pub(crate) fn start(answer: impl Fn(&str, &Asked) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (answer, noted) = (Arc::new(answer), Arc::new(Asked::default()));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, noted) = (Arc::clone(&answer), Arc::clone(&noted));
                thread::spawn(move || serve(stream, &*answer, &noted));
            }
        });
        Self { origin }
    }
}

/// One request a connection; a body is left unread, which a short one never minds.
fn serve(mut stream: TcpStream, answer: &dyn Fn(&str, &Asked) -> String, asked: &Asked) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            // Somebody only looked whether anything listens here.
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let name = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    asked.note(&name);
    let _ = stream.write_all(answer(&name, asked).as_bytes());
}

/// A whole answer.
pub(crate) fn whole(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} so\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

/// An answer that breaks off in its body.
pub(crate) fn cut(body: &str) -> String {
    format!(
        "HTTP/1.1 200 so\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 900\r\n\r\n{body}"
    )
}
