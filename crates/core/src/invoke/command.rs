//! Commands: the program is literal, a value fills a whole argument or none (threats.md B18).

use super::{Unready, template_refused, text};
use crate::json::Json;
use crate::observe::{CommandCall, Field, SecretUse};
use crate::plan::CommandStep;
use crate::vars::{Reference, Vars, resolve as filled, resolve_sent, text_of};

/// The longest argument that a value may fill, in characters.
const MAX_ARGUMENT: usize = 200;

pub(super) fn resolve(step: &CommandStep, timeout_ms: u64, vars: &Vars) -> Result<CommandCall, Unready> {
    let argv = if step.shell { shell(&step.argv)? } else { arguments(&step.argv, vars)? };
    let env = step.env.iter().map(|(name, value)| variable(name, value, vars)).collect::<Result<_, _>>()?;
    let stdin = step.stdin.as_ref().map(|value| input(value, vars)).transpose()?;
    let cwd = step.cwd.clone().unwrap_or_else(|| ".".to_owned());
    Ok(CommandCall { argv, cwd, env, stdin, timeout_ms })
}

/// A shell gets literal text only: no quoting of values is safe in every shell.
fn shell(argv: &[Json]) -> Result<Vec<String>, Unready> {
    let words: Vec<&str> = argv.iter().map(literal).collect::<Result<_, _>>()?;
    if words.is_empty() {
        return Err(template_refused("The command is empty."));
    }
    Ok(vec!["sh".to_owned(), "-c".to_owned(), words.join(" ")])
}

fn arguments(argv: &[Json], vars: &Vars) -> Result<Vec<String>, Unready> {
    let (program, rest) = argv.split_first().ok_or_else(|| template_refused("The command is empty."))?;
    let mut words = vec![literal(program)?.to_owned()];
    for argument in rest {
        words.push(match Reference::of(argument)? {
            Some(Reference::Var(name)) => value(name, argument, vars)?,
            _ => literal(argument)?.to_owned(),
        });
    }
    Ok(words)
}

fn literal(argument: &Json) -> Result<&str, Unready> {
    let text = argument.as_text().ok_or_else(|| {
        template_refused("An argument is a text, or after the first a whole value {\"$var\": name}; nothing else.")
    })?;
    if text.contains('\0') {
        return Err(template_refused("An argument holds a NUL."));
    }
    Ok(text)
}

fn value(name: &str, argument: &Json, vars: &Vars) -> Result<String, Unready> {
    let value = filled(argument, vars)?;
    if !matches!(value, Json::Text(_) | Json::Number(_) | Json::Bool(_)) {
        return Err(template_refused(format!("The variable `{name}` holds a {}, which is no argument.", value.kind())));
    }
    let text = text_of(&value);
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"._:@/+-".contains(&c);
    let safe = (1..=MAX_ARGUMENT).contains(&text.len())
        && text.bytes().all(plain)
        && !text.starts_with('-')
        && !text.contains("..");
    if safe {
        return Ok(text);
    }
    Err(template_refused(format!(
        "The value of `{name}` is no safe argument: at most {MAX_ARGUMENT} of letters, digits and . _ : @ / + -, \
         not beginning with a hyphen, without two dots in a row."
    )))
}

fn variable(name: &str, value: &Json, vars: &Vars) -> Result<(String, Field), Unready> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(template_refused(format!("{name:?} is no name of an environment variable.")));
    }
    if let Some(Reference::Env(secret)) = Reference::of(value)? {
        return Ok((name.to_owned(), Field::Secret(SecretUse::Plain, secret.to_owned())));
    }
    let text = text(value, vars)?;
    if text.contains('\0') {
        return Err(template_refused(format!("The value of the environment variable `{name}` holds a NUL.")));
    }
    Ok((name.to_owned(), Field::Text(text)))
}

fn input(value: &Json, vars: &Vars) -> Result<Vec<u8>, Unready> {
    Ok(match resolve_sent(value, vars)? {
        Json::Text(text) => text.into_bytes(),
        data => format!("{data}\n").into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        read(text.as_bytes(), &Limits::default()).unwrap()
    }

    fn step(argv: &str) -> CommandStep {
        let argv = json(argv).as_list().unwrap().to_vec();
        CommandStep { argv, cwd: None, env: Vec::new(), stdin: None, shell: false, says_idempotent: false }
    }

    fn vars(value: impl Into<Json>) -> Vars {
        Vars::new(&[("v".into(), value.into())])
    }

    #[test]
    fn fills_whole_arguments_only() {
        let call = resolve(&step(r#"["tool","--id",{"$var":"v"}]"#), 5, &vars("a:1/b@c+d-e_f.g")).unwrap();
        assert_eq!(call.argv, ["tool", "--id", "a:1/b@c+d-e_f.g"]);
        assert_eq!((call.cwd.as_str(), call.timeout_ms, call.stdin), (".", 5, None));
        assert_eq!(resolve(&step(r#"["t",{"$var":"v"}]"#), 5, &vars(7)).unwrap().argv, ["t", "7"]);
        for bad in [
            r#"[{"$var":"v"}]"#,
            r#"["t",{"$template":"x{v}"}]"#,
            r#"["t",{"$env":"V"}]"#,
            r#"["t",7]"#,
            "[]",
            "[\"t\",\"a\\u0000\"]",
        ] {
            assert!(matches!(resolve(&step(bad), 5, &vars("x")), Err(Unready::Refused(_))), "{bad}");
        }
        assert_eq!(resolve(&step(r#"["t",{"$var":"w"}]"#), 5, &vars(1)), Err(Unready::Missing("w".into())));
    }

    #[test]
    fn refuses_values_that_mean_more() {
        let long = "x".repeat(201);
        for bad in ["-o", "--output=x", "", "a b", "../x", "a/..", "$(x)", "a\n", "a;b", "é", "*", "~", long.as_str()]
        {
            assert!(resolve(&step(r#"["t",{"$var":"v"}]"#), 5, &vars(bad)).is_err(), "{bad}");
        }
        for bad in [json("[1]"), json("{}"), Json::Null, json("-5")] {
            assert!(resolve(&step(r#"["t",{"$var":"v"}]"#), 5, &vars(bad)).is_err());
        }
    }

    #[test]
    fn a_shell_gets_literal_text() {
        let mut shell = step(r#"["echo a | wc","-c"]"#);
        shell.shell = true;
        assert_eq!(resolve(&shell, 1, &vars("x")).unwrap().argv, ["sh", "-c", "echo a | wc -c"]);
        shell.argv.push(json(r#"{"$var":"v"}"#));
        assert!(resolve(&shell, 1, &vars("x")).is_err());
        shell.argv.clear();
        assert!(resolve(&shell, 1, &vars("x")).is_err());
    }

    #[test]
    fn feeds_input_and_environment() {
        for (stdin, bytes) in [
            (r#""as {it} is""#, "as {it} is"),
            (r#"{"$var":"v"}"#, "x\"y"),
            (r#"{"$template":"<{v}>"}"#, "<x\"y>"),
            (r#"{"id":{"$var":"v"},"n":1.50}"#, "{\"id\":\"x\\\"y\",\"n\":1.50}\n"),
            ("[1]", "[1]\n"),
        ] {
            let mut step = step(r#"["t"]"#);
            step.stdin = Some(json(stdin));
            assert_eq!(resolve(&step, 1, &vars("x\"y")).unwrap().stdin.unwrap(), bytes.as_bytes(), "{stdin}");
        }
        let mut step = step(r#"["t"]"#);
        step.env = vec![("A".into(), json(r#"{"$var":"v"}"#)), ("B".into(), json(r#"{"$env":"S"}"#))];
        assert_eq!(
            resolve(&step, 1, &vars("x")).unwrap().env,
            [
                ("A".to_owned(), Field::Text("x".to_owned())),
                ("B".to_owned(), Field::Secret(SecretUse::Plain, "S".to_owned()))
            ]
        );
        assert!(resolve(&step, 1, &vars("x\0")).is_err());
        step.env[0].0 = "A=B".into();
        assert!(resolve(&step, 1, &vars("x")).is_err());
        step.env.clear();
        step.stdin = Some(json(r#"{"a":{"$env":"S"}}"#));
        assert_eq!(resolve(&step, 1, &vars("x")).unwrap().stdin.unwrap(), b"{\"a\":\"{env:S}\"}\n");
    }

    proptest! {
        #[test]
        fn no_value_is_an_option_or_climbs(value in any::<String>(), dotted in "[-./a-z:@+_]{0,12}") {
            for value in [value, dotted] {
                if let Ok(call) = resolve(&step(r#"["t",{"$var":"v"},"end"]"#), 1, &vars(value.clone())) {
                    prop_assert_eq!(&call.argv, &["t".to_owned(), value.clone(), "end".to_owned()]);
                    prop_assert!(!value.starts_with('-') && !value.split('/').any(|part| part == ".."));
                }
            }
        }
    }
}
