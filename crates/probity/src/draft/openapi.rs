//! An OpenAPI 3 document: each operation that only reads and can be called with what the document itself gives.

use probity_core::json::Json;

use super::{Request, Source};

/// Methods of operations, in the order in which a document may hold them.
const METHODS: [&str; 8] = ["get", "head", "options", "post", "put", "patch", "delete", "trace"];

/// Reads it.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn read(document: &Json) -> Result<Source, String> {
    let version = document.get("openapi").and_then(Json::as_text).unwrap_or_default();
    if !version.starts_with("3.") {
        return Err("it is no OpenAPI 3 document".to_owned());
    }
    let server =
        document.get("servers").and_then(Json::as_list).and_then(|servers| servers.first()?.get("url")?.as_text());
    let server = server.filter(|url| url.starts_with("http") && !url.contains('{'));
    let server =
        server.ok_or_else(|| "its first server is no absolute URL, so it is not known whom to ask".to_owned())?;
    let paths = document.get("paths").and_then(Json::as_map).ok_or_else(|| "it has no paths".to_owned())?;
    let mut source = Source::default();
    for (path, item) in paths.iter() {
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let name = format!("{} {path}", method.to_uppercase());
            if !matches!(method, "get" | "head" | "options") {
                source.notes.push(format!("{name}: it writes; its body and its cleanup are for you to say"));
                continue;
            }
            match request(document, server, path, item, operation) {
                Ok(url) => source.requests.push(Request {
                    method: method.to_uppercase(),
                    url,
                    status: promised(operation),
                    ..Request::default()
                }),
                Err(why) => source.notes.push(format!("{name}: {why}")),
            }
        }
    }
    if source.requests.is_empty() {
        return Err(format!("no operation of it can be called as it stands; {}", source.notes.join("; ")));
    }
    source.notes.push("schemas of answers, and security schemes".to_owned());
    Ok(source)
}

/// The least status of success that the operation promises.
fn promised(operation: &Json) -> Option<u16> {
    let responses = operation.get("responses").and_then(Json::as_map)?;
    responses.iter().filter_map(|(code, _)| code.parse::<u16>().ok()).filter(|code| (200..400).contains(code)).min()
}

/// The URL with parameters filled from examples and defaults.
fn request(document: &Json, server: &str, path: &str, item: &Json, operation: &Json) -> Result<String, String> {
    let mut path = path.to_owned();
    let mut query = Vec::new();
    let lists = [item, operation].map(|owner| owner.get("parameters").and_then(Json::as_list).unwrap_or_default());
    for parameter in lists.into_iter().flatten().map(|parameter| resolved(document, parameter)) {
        let word = |name: &str| parameter.get(name).and_then(Json::as_text).unwrap_or_default();
        let (name, place) = (word("name"), word("in"));
        let required = parameter.get("required").and_then(Json::as_bool).unwrap_or(false);
        let schema = parameter.get("schema").map(|schema| resolved(document, schema));
        let given = ["example", "default"].into_iter().find_map(|key| {
            let value = parameter.get(key).or_else(|| schema?.get(key))?;
            match value {
                Json::Text(text) => Some(text.clone()),
                Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
                _ => None,
            }
        });
        match (place, given) {
            ("path", Some(value)) => {
                let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
                path = path.replace(&format!("{{{name}}}"), &value.replace('+', "%20"));
            }
            ("query", Some(value)) if required => query.push((name.to_owned(), value)),
            (_, _) if required => return Err(format!("the parameter {name} has no example")),
            _ => {}
        }
    }
    if path.contains('{') {
        return Err("a parameter of its path has no example".to_owned());
    }
    let mut url = format!("{}{path}", server.trim_end_matches('/'));
    if !query.is_empty() {
        url.push('?');
        url.push_str(&url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish());
    }
    Ok(url)
}

/// What a local `$ref` points at; one step, since chains may be circles.
fn resolved<'a>(document: &'a Json, value: &'a Json) -> &'a Json {
    let Some(path) = value.get("$ref").and_then(Json::as_text).and_then(|text| text.strip_prefix("#/")) else {
        return value;
    };
    path.split('/').try_fold(document, |at, name| at.get(name)).unwrap_or(value)
}
