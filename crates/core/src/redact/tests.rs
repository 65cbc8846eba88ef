//! Learning, hiding and revealing together.

use super::*;
use crate::json::{Limits, read};
use crate::observe::Hop;
use proptest::prelude::*;

fn redactor() -> Redactor {
    Redactor::new(&[7; 32], &[("TOKEN".into(), "s3cr\"t value!".into()), ("PIN".into(), "1234".into())])
}

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

fn answer(headers: &[(&str, &str)], body: &str) -> Exchange {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Exchange { hops: vec![Hop { headers, wire: body.as_bytes().to_vec(), ..Hop::default() }], ..Exchange::default() }
}

#[test]
fn what_an_answer_shows_is_hidden_in_what_follows() {
    let mut redactor = Redactor::new(&[1; 32], &[]);
    let set = [("set-cookie", "sid=4f9d2c7a11; Path=/"), ("content-type", "application/json")];
    redactor.study(&answer(&set, r#"{"access_token":"tok\/en-0001","pin_secret":12345678,"name":"plain"}"#));
    for (text, stays) in [
        ("cookie: sid=4f9d2c7a11", "4f9d"),
        ("GET /cb?t=tok%2Fen-0001", "0001"),
        (r#"{"echo":"tok\/en-0001"}"#, "0001"),
        ("12345678", "1234"),
    ] {
        let hidden = redactor.text(text);
        assert!(holds(&hidden) && !hidden.contains(stays), "{hidden}");
    }
    assert_eq!(redactor.text("plain"), "plain");
    let (bytes, count) = redactor.hide(br#"{"pin": 12345678, "t": "x 12345678"}"#.to_vec(), false);
    let value = json(&String::from_utf8(bytes).unwrap());
    assert_eq!(count, 2);
    // A number stays one word of JSON.
    assert!(value.as_map().unwrap().get("pin").and_then(Json::as_text).is_some_and(holds), "{value}");
}

#[test]
fn what_the_plan_writes_and_what_is_short_stays() {
    let spared: Written = Arc::new(|| written(r#"["/set?flavour=chocolate","12345678"]"#));
    let mut redactor = Redactor::new(&[1; 32], &[]).sparing(spared, vec!["QA_MARKER_1".into()]);
    let cookies =
        [("Set-Cookie", "flavour=chocolate"), ("Set-Cookie", "theme=dark"), ("Set-Cookie", "m=QA_MARKER_1-x")];
    redactor.study(&answer(&cookies, r#"{"token":"12345678"}"#));
    assert!(redactor.is_empty());
    redactor.study(&answer(&[("Set-Cookie", "flavour=chocolate2")], ""));
    assert!(!redactor.is_empty());
}

#[test]
fn short_secrets_are_not_searched_for() {
    assert_eq!(redactor().hide(b"id 1234".to_vec(), false), (b"id 1234".to_vec(), 0));
}

#[test]
fn equal_secrets_have_equal_placeholders_and_keys_matter() {
    let once = redactor().text("s3cr\"t value!");
    assert_eq!(redactor().text("s3cr\"t value!"), once);
    let other = Redactor::new(&[8; 32], &[("TOKEN".into(), "s3cr\"t value!".into())]);
    assert_ne!(other.text("s3cr\"t value!"), once);
}

#[test]
fn values_come_back_with_their_types() {
    let mut redactor = redactor();
    redactor.study(&answer(&[], r#"{"secret":123456789.50,"token":"plain text"}"#));
    let live = json(r#"{"a":["s3cr\"t value!",123456789.50,7],"b":"<plain text>"}"#);
    let hidden = redactor.hidden_in(&live);
    assert!(!hidden.to_string().contains("value") && !hidden.to_string().contains("plain text"), "{hidden}");
    assert_eq!(redactor.reveal(&hidden), live);
    assert!(redactor.knows_all(&hidden.to_string()));
    assert!(!redactor.knows_all("secret.other.0123456789abcdef"));
    assert_eq!(redactor.reveal(&"secret.other.0123456789abcdef".into()), "secret.other.0123456789abcdef".into());
}

#[test]
fn a_secret_that_is_cut_off_is_hidden_as_far_as_it_came() {
    let mut redactor = redactor();
    redactor.study(&answer(&[], r#"{"a":1,"token":"abcdefgh"#));
    assert!(redactor.finds(b"abcdefgh"));
    let cut = b"... s3cr\"t v".to_vec();
    assert_eq!(redactor.hide(cut.clone(), false).1, 0);
    let (bytes, count) = redactor.hide(cut, true);
    assert_eq!((count, bytes.starts_with(b"... secret.TOKEN.")), (1, true));
}

#[test]
fn a_value_that_spells_a_placeholder_hides_no_other() {
    let mut redactor = redactor();
    let hidden = redactor.text("s3cr\"t value!");
    redactor.learn("evil", "secret.TOKEN");
    redactor.learn("evil", &hidden);
    assert_eq!(redactor.text(&hidden), hidden);
    assert!(holds(&redactor.text("secret.TOKEN")));
}

#[test]
fn many_secrets_are_bounded() {
    let mut redactor = Redactor::new(&[1; 32], &[]);
    redactor.learn("long", &"x".repeat(LONGEST + 1));
    assert!(redactor.is_empty());
    for n in 0..300 {
        redactor.learn("t", &format!("secret number {n:05}"));
    }
    assert_eq!(redactor.hide(b"secret number 00007, secret number 00299".to_vec(), false).1, 2);
}

proptest! {
    #[test]
    fn nothing_of_the_secret_stays(prefix in ".{0,20}", suffix in ".{0,20}", secret in "[!-~]{8,40}") {
        let redactor = Redactor::new(&[1; 32], &[("S".into(), secret.clone())]);
        let text = redactor.text(&format!("{prefix}{secret}{suffix}"));
        let outside: String = {
            let mut rest = text.clone();
            spans(&text).into_iter().rev().for_each(|span| rest.replace_range(span, "\0"));
            rest
        };
        prop_assert!(outside.contains('\0') && !outside.contains(&secret), "{text}");
    }

    #[test]
    fn hidden_values_are_revealed_again(values in prop::collection::vec("[a-z ]{8,12}", 1..4), text in "[a-z ]{0,30}") {
        let mut redactor = Redactor::new(&[1; 32], &[]);
        values.iter().for_each(|value| redactor.learn("v", value));
        let whole = Json::from(format!("{text}|{}|{text}", values.join("|")));
        let hidden = redactor.hidden_in(&whole);
        prop_assert_eq!(redactor.reveal(&hidden), whole);
    }
}
