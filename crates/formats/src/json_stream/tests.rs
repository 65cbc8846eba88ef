use proptest::prelude::*;

use super::*;

/// Reads one byte at a time, so that every token lies across two fillings.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self.0.split_first() {
            Some((first, rest)) if !into.is_empty() => {
                into[0] = *first;
                self.0 = rest;
                Ok(1)
            }
            _ => Ok(0),
        }
    }
}

/// The texts of the member `t`; every other value is skipped.
fn texts(json: &[u8]) -> Result<Vec<String>, StreamFault> {
    let mut found = Vec::new();
    Stream::new(Slow(json)).document(&mut |stream, name| match name {
        "t" => stream.list(&mut |stream| {
            found.extend(stream.optional_text(100)?);
            Ok(())
        }),
        _ => stream.skip(),
    })?;
    Ok(found)
}

#[test]
fn values_that_nobody_wants_are_passed_over() {
    let json =
        br#" {"a": [1, {"b": [[], {}, "x\"]}", -1.5e3, true, null]}], "t": ["one", 2, "three"], "z": {"y": {}}} "#;
    assert_eq!(texts(json).unwrap(), ["one", "three"]);
}

#[test]
fn escapes_and_surrogates() {
    let json = br#"{"t": ["\u0041\n\"\\", "\ud83d\ude00", "cut \ud83d", "\ude00\ud83dx", "\ud800\u0041"]}"#;
    assert_eq!(texts(json).unwrap(), ["A\n\"\\", "\u{1f600}", "cut \u{fffd}", "\u{fffd}\u{fffd}x", "\u{fffd}A"]);
}

#[test]
fn long_texts_are_cut_and_read_to_their_end() {
    let json = format!(r#"{{"t": ["{}", "next"]}}"#, "x".repeat(5000));
    assert_eq!(texts(json.as_bytes()).unwrap(), ["x".repeat(100), "next".to_owned()]);
    let json = format!(r#"{{"t": ["{}", "next"]}}"#, "\\u00e9".repeat(5000));
    assert_eq!(texts(json.as_bytes()).unwrap()[1], "next");
}

#[test]
fn faults_have_names() {
    for (json, fault) in [
        ("", "holds nothing (0 bytes)"),
        ("  \n", "holds nothing (3 bytes)"),
        ("{\"t\": [\"a", "ends in the middle"),
        ("{\"t\": [1, 2", "ends in the middle"),
        ("[]", "no JSON object"),
        ("{} x", "something follows"),
        ("{\"t\": nope}", "a value is missing at line 1"),
        ("{\"a\": {\"b\" 1}}", "a colon is missing"),
        ("{\"a\": [1 2]}", "a comma or the end"),
        ("{\"t\": [], \"t\": []}", "a name comes twice"),
        ("{\"t\": [\"\\q\"]}", "an escape is not known"),
        ("{\"t\": [\"\n\"]}", "a control character"),
        ("{\"a\": -}", "a number cannot be read"),
    ] {
        let error = texts(json.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(fault), "{json:?}: {error}");
    }
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(texts(deep.as_bytes()).unwrap_err().to_string().contains("too deep"));
}

proptest! {
    #[test]
    fn whatever_is_cut_is_refused(cut in 0usize..80) {
        let json = br#"{"a": [1, {"b": "\u00e9"}], "t": ["one", "two"], "c": {"d": [null, false, 1e9]}}"#;
        let cut = cut.min(json.len() - 1);
        prop_assert!(texts(&json[..cut]).is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = texts(&bytes);
    }
}
