//! What a target answers, and the paths and numbers that are held against it.

use std::cmp::Ordering;

use probity_core::coding;
use probity_core::environment::Origin;
use probity_core::evaluate::{Bytes, Document, Seen, save};
use probity_core::json::{Json, Limits, Number, canonical, read};
use probity_core::number::{compare, is_integer};
use probity_core::path::Path;
use probity_core::plan::SaveFrom;
use probity_core::{header as headers, units};
use probity_probes::http::Jar;
use url::Url;

pub(crate) const PATH: &[&str] = &[
    "$",
    "..",
    "[*]",
    "[0]",
    "['a']",
    "[?@.a==1]",
    "[?match(@.a,'(a|b)*')]",
    "[::2]",
    "[-1]",
    ".a",
    "a.b",
    "a[3]",
    "[?count(@..*)>1]",
    "missing",
    "*",
];
pub(crate) const NUMBER: &[&str] = &[
    "0",
    "-0",
    "1e400",
    "1E-400",
    "9007199254740993",
    "0.1",
    "10.0",
    "e+9",
    "-",
    "18446744073709551616",
    "1e99999999999999999999",
    " ",
];
pub(crate) const COOKIE: &[&str] = &[
    "a=b",
    "; Path=/",
    "; Domain=",
    "a.test",
    ".test",
    "; Secure",
    "; HttpOnly",
    "; Max-Age=",
    "-1",
    "99999999999999999999",
    "; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
    "\n",
    "\r",
    "\0",
    "=",
    ";",
    "\"",
    "\u{e9}",
    "__Host-a=1",
];
pub(crate) const HEADER: &[&str] = &[
    "text/html",
    "; charset=",
    "gbk",
    "utf-16le",
    "\"utf-8\"",
    "content-encoding",
    "authorization",
    "x-forwarded-",
    ": ",
    "\r\n",
    "http://",
    "https://",
    "user@",
    "127.0.0.1",
    ":65536",
    "[::1]",
    "/",
    "//",
    "\\",
    "#",
    "?",
    "{v}",
    "%2f",
    "\t",
    "10MiB",
    "5s",
    "18446744073709551615h",
];

/// JSON of an answer: written out it reads back, in every form.
pub(crate) fn json(bytes: &[u8]) {
    let value = match read(bytes, &Limits::default()) {
        Ok(value) => value,
        Err(error) => {
            assert!(error.line > 0 && error.column > 0 && error.offset <= bytes.len(), "{error:?}");
            return;
        }
    };
    for written in [value.to_string(), value.pretty()] {
        match read(written.as_bytes(), &Limits::default()) {
            // A broken text is written with what can be written of it.
            Ok(again) => assert!(again == value || bytes.windows(2).any(|pair| pair == b"\\u"), "{written}"),
            Err(error) => panic!("{error}: {written}"),
        }
    }
    if let Ok(written) = canonical(&value) {
        let again = read(&written, &Limits::default()).expect("canonical JSON");
        assert_eq!(canonical(&again).expect("a second time"), written);
    }
    let document = Document::read(Bytes { kept: bytes, complete: true });
    if let (Ok(document), Ok(path)) = (document, Path::parse("$..a")) {
        let _ = document.locate(&path);
    }
}

/// A path, alone and over a document.
pub(crate) fn path(bytes: &[u8]) {
    const DOCUMENT: &[u8] = br#"{"a":[{"a":1,"b":"ab"},{"a":[[],{}]}],"0":null,"":2,"items":[1,2,3]}"#;
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Path::parse(text) {
        Ok(path) => {
            assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path));
            let document = Document::read(Bytes { kept: DOCUMENT, complete: true }).expect("a document");
            if let Ok(spots) = document.locate(&path) {
                assert!(spots.len() <= 100_000);
                assert!(path.is_plural() || spots.len() <= 1, "{text} names {} values", spots.len());
            }
            let seen = Seen { body: Some(Bytes { kept: DOCUMENT, complete: true }), ..Seen::default() };
            let _ = save(&SaveFrom::Json(path), &seen);
        }
        Err(error) => assert!(!error.what.is_empty() && !error.help.is_empty()),
    }
}

/// Numbers, a line each: their order is one.
pub(crate) fn number(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let found: Vec<Number> = text.lines().take(8).filter_map(Number::parse).collect();
    for a in &found {
        assert_eq!(compare(a, a), Ordering::Equal, "{}", a.token());
        assert_eq!(Number::parse(a.token()).as_ref(), Some(a));
        if a.as_i64().is_some() {
            assert!(is_integer(a), "{}", a.token());
        }
        for b in &found {
            assert_eq!(compare(a, b), compare(b, a).reverse(), "{} and {}", a.token(), b.token());
            for c in &found {
                if compare(a, b) != Ordering::Greater && compare(b, c) != Ordering::Greater {
                    assert_ne!(compare(a, c), Ordering::Greater, "{} {} {}", a.token(), b.token(), c.token());
                }
            }
            if let (Some(x), Some(y)) = (a.as_i64(), b.as_i64()) {
                assert_eq!(compare(a, b), x.cmp(&y), "{} and {}", a.token(), b.token());
            }
        }
    }
}

/// A coded body: the first byte says in which codings. Nothing is undone beyond the cap.
pub(crate) fn coding(bytes: &[u8]) {
    const CAP: u64 = 1 << 16;
    const NAMES: [&str; 8] = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip", "identity", "x-new"];
    let Some((first, wire)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let lines = [("Content-Encoding".to_owned(), name.to_owned())];
    let glimpsed = coding::glimpse(&lines, wire, CAP);
    assert!(glimpsed.len() as u64 <= CAP);
    match coding::undo([name].into_iter(), wire, CAP) {
        Ok(Some(decoded)) => {
            assert!(decoded.len() as u64 <= CAP, "{} bytes", decoded.len());
            assert_eq!(glimpsed, decoded, "{name}");
            assert!(
                coding::gives(&lines, wire, &decoded, CAP),
                "{name}: the derivation does not find what the client found"
            );
            let mut other = decoded;
            other.push(0);
            assert!(!coding::gives(&lines, wire, &other, CAP));
        }
        Ok(None) => {}
        Err(failure) => assert!(!failure.message.is_empty() && failure.message.len() < 500, "{failure:?}"),
    }
}

/// `Set-Cookie` lines: what goes back breaks no line, and goes nowhere else.
pub(crate) fn cookie(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let url = |text: &str| Url::parse(text).expect("a URL");
    let (from, other) = (url("http://shop.test/a/b"), url("http://other.example/a/b"));
    let mut jar = Jar::default();
    jar.take(text.split('\n').take(64), &from);
    assert_eq!(jar.line(&other), None, "a cookie for another site");
    for target in [&from, &url("http://shop.test/"), &url("https://shop.test/a")] {
        let line = jar.line(target).unwrap_or_default();
        assert!(!line.contains(['\n', '\0']), "{line:?}");
        assert!(line.len() <= bytes.len() * 3 + 64, "{} bytes", line.len());
    }
    assert_eq!(Jar::of([&jar]).line(&from), jar.line(&from));
}

/// Names and values of header lines, URLs, and measures: short texts with a grammar.
pub(crate) fn header(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if headers::is_name(text) {
        assert!(!text.contains(['\r', '\n', ':', ' ', '{']));
    }
    if headers::is_media_type(text) {
        assert!(!text.contains(['\r', '\n', '\0']));
    }
    let _ = (headers::is_the_clients(text), headers::is_credential(text));
    if let Ok(origin) = Origin::of(text) {
        assert_eq!(Origin::of(&origin.to_string()).as_ref(), Ok(&origin), "{text}");
        assert!(origin.contains(text) && Origin::allowed(std::slice::from_ref(&origin), text));
        assert_eq!(Url::parse(text).expect("a URL").host_str(), Some(origin.host.as_str()));
    }
    if let Ok(probity_core::origin::Destination::On(origin)) = probity_core::origin::destination(text) {
        // Whatever stands in the holes of path and query, the host stays.
        let filled = text.replace(['{', '}'], "");
        assert_eq!(Origin::of(&filled), Ok(origin), "{text}");
    }
    let (duration, size) = (units::duration_ms(text), units::size_bytes(text));
    assert!(duration.is_err() || size.is_err(), "{text} is a duration and a size");
    // A body in whatever encoding its answer names.
    if let Some((charset, body)) = text.split_once('\n') {
        let lines = [("content-type".to_owned(), format!("text/plain; charset={charset}"))];
        let seen = Seen {
            headers: &lines,
            body: Some(Bytes { kept: body.as_bytes(), complete: true }),
            status: Some(200),
            ..Seen::default()
        };
        if let Ok(Json::Text(found)) = save(&SaveFrom::Text("(?s)(.*)".to_owned()), &seen) {
            assert!(found.len() <= body.len() * 3);
        }
    }
}
