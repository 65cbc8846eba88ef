//! The service that runs start in these tests: this very test program, told by a variable to serve instead of testing.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a service writes to both")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// The variable that tells it to serve: `PORT` and words.
const VARIABLE: &str = "SERVE";

/// Serves until it is ended, where the variable says so; else it is asked one question by this very test.
#[test]
fn service_of_other_tests() {
    if let Ok(told) = std::env::var(VARIABLE) {
        serve(&told);
        return;
    }
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let answer = std::thread::spawn(move || answer(&socket.accept().unwrap().0, &[]));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(b"GET /mug HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.ends_with(r#"{"name":"mug"}"#), "{text}");
    answer.join().unwrap();
}

/// The arguments that make this program a service.
pub(crate) fn argv() -> Vec<String> {
    let own = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    // Names of tests begin behind that of their crate.
    let (_, module) = module_path!().split_once("::").unwrap();
    vec![own, format!("{module}::service_of_other_tests"), "--exact".to_owned(), "--nocapture".to_owned()]
}

/// A port that nobody holds at the moment.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Words: `never` opens no port, `ends` ends at once, `late` opens its port after 1.2 s, `sick` is never healthy, `flood`
/// writes 20 MiB first, `tells` writes its TOKEN.
fn serve(told: &str) {
    let words: Vec<&str> = told.split(' ').collect();
    let port: u16 = words[0].parse().unwrap();
    println!("service on {port} begins");
    let is = |word: &str| words.contains(&word);
    if is("tells") {
        println!("the token is {}", std::env::var("TOKEN").unwrap());
    }
    if is("ends") {
        eprintln!("cannot read \x1b[31mconfig.json");
        std::process::exit(7);
    }
    if is("flood") {
        let line = format!("{}\n", "x".repeat(1023));
        let mut out = std::io::stdout().lock();
        (0..20 * 1024).for_each(|_| out.write_all(line.as_bytes()).unwrap());
    }
    if is("never") {
        println!("waiting for the store");
        std::thread::sleep(Duration::from_secs(120));
    }
    if is("late") {
        std::thread::sleep(Duration::from_millis(1200));
    }
    let socket = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for stream in socket.incoming().flatten() {
        let words = words.clone();
        std::thread::spawn(move || answer(&stream, &words));
    }
}

/// Answers one request and closes: `/say/TEXT` writes the text, `/die` ends the process after its answer.
fn answer(mut stream: &TcpStream, words: &[String]) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let mut head = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    while reader.read_line(&mut head).unwrap_or(0) > 2 {
        head.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or("/");
    if let Some(text) = path.strip_prefix("/say/") {
        println!("heard {text}");
    }
    if path == "/slow" {
        std::thread::sleep(Duration::from_secs(60));
    }
    let sick = path == "/health" && words.iter().any(|word| word == "sick");
    let (status, body) = if sick { ("503 Unavailable", "{}") } else { ("200 OK", r#"{"name":"mug"}"#) };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}");
    let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
    let _ = stream.shutdown(std::net::Shutdown::Write);
    if path == "/die" {
        eprintln!("out of memory");
        std::process::exit(9);
    }
}
