//! HTTP requests: target, headers, body and credentials of a step, filled.

use std::borrow::Cow;

use url::form_urlencoded::Serializer;

use super::{Unready, multipart, target, target_refused, template_refused, text};
use crate::environment::Environment;
use crate::evaluate::Files;
use crate::header;
use crate::json::Json;
use crate::observe::{ClientIdentity, Field, HttpCall, ProxyCall, SecretUse};
use crate::plan::{Auth, Body, ClientCertificate, HttpStep, Proxy};
use crate::vars::{Reference, Vars, resolve_sent as filled, text_of};

pub(super) fn resolve(
    step: &HttpStep,
    timeout_ms: u64,
    vars: &Vars,
    environment: &Environment,
    base_url: Option<&str>,
    files: &Files<'_>,
) -> Result<HttpCall, Unready> {
    let url = target::resolve(&step.target, &step.query, vars, environment, base_url)?;
    let mut headers = step.headers.iter().map(|(name, value)| field(name, value, vars)).collect::<Result<_, _>>()?;
    let (body, media) = match &step.body {
        Some(body) => body_bytes(body, vars, files).map(|(bytes, media)| (Some(bytes), media))?,
        None => (None, None),
    };
    if let Some(media) = media {
        default(&mut headers, "content-type", &media);
    }
    if let Some(auth) = &step.auth {
        credential(&mut headers, auth)?;
    }
    default(&mut headers, "user-agent", "probity");
    default(&mut headers, "accept", "*/*");
    // Calls are kept for each step of a run.
    headers.shrink_to_fit();
    Ok(HttpCall {
        method: step.method.clone(),
        url,
        headers,
        body,
        timeout_ms,
        follow_redirects: step.follow_redirects,
        cookies: step.cookies,
        decompress: step.decompress,
        max_body: step.max_body,
        insecure: step.insecure || environment.insecure,
        ca: step.ca.as_deref().map(|name| file(name, files)).transpose()?,
        client: step.client.as_ref().map(|client| identity(client, files)).transpose()?.map(Box::new),
        version: step.http_version,
        proxy: step.proxy.as_ref().map(|proxy| through(proxy, environment)).transpose()?.map(Box::new),
        unix_socket: step.unix_socket.clone(),
        origins: environment.origins.clone(),
    })
}

fn field(name: &str, value: &Json, vars: &Vars) -> Result<(String, Field), Unready> {
    if !header::is_name(name) {
        return Err(template_refused(format!("{name:?} is no name of a header.")));
    }
    if header::is_the_clients(name) {
        return Err(template_refused(format!("The header `{name}` belongs to the client alone.")));
    }
    if let Some(Reference::Env(secret)) = Reference::of(value)? {
        return Ok((name.to_owned(), Field::Secret(SecretUse::Plain, secret.to_owned())));
    }
    let text = text(value, vars)?;
    // Tab is the one control that a field value may hold (RFC 9110 5.5); beyond Latin-1 there is no byte for it.
    if text.chars().any(|c| (c.is_control() && c != '\t') || u32::from(c) > 0xff) {
        return Err(template_refused(format!(
            "The value of the header `{name}` holds a line break, another control character, or one beyond Latin-1."
        )));
    }
    Ok((name.to_owned(), Field::Text(text)))
}

fn default(headers: &mut Vec<(String, Field)>, name: &str, value: &str) {
    if !has(headers, name) {
        headers.push((name.to_owned(), Field::Text(value.to_owned())));
    }
}

fn has(headers: &[(String, Field)], name: &str) -> bool {
    headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

fn credential(headers: &mut Vec<(String, Field)>, auth: &Auth) -> Result<(), Unready> {
    if has(headers, "authorization") {
        return Err(template_refused("Both `auth` and an authorization header are written; only one can be sent."));
    }
    let (placed, variable) = placed(auth);
    headers.push(("authorization".to_owned(), Field::Secret(placed, variable)));
    Ok(())
}

fn placed(auth: &Auth) -> (SecretUse, String) {
    match auth {
        Auth::Basic(variable) => (SecretUse::Basic, variable.clone()),
        Auth::Bearer(variable) => (SecretUse::Bearer, variable.clone()),
    }
}

fn identity(client: &ClientCertificate, files: &Files<'_>) -> Result<ClientIdentity, Unready> {
    Ok(ClientIdentity { cert: file(&client.cert, files)?, key: client.key.clone() })
}

/// A proxy could lead anywhere, so it lies inside the environment as every target does.
fn through(proxy: &Proxy, environment: &Environment) -> Result<ProxyCall, Unready> {
    let origin = proxy.origin.clone();
    if !environment.origins.contains(&origin) {
        return Err(target_refused(format!("The proxy {origin} lies outside the environment's origins.")));
    }
    Ok(ProxyCall { origin, auth: proxy.auth.as_ref().map(placed) })
}

/// The bytes of a body, and the media type that they have unless a header says otherwise.
fn body_bytes(body: &Body, vars: &Vars, files: &Files<'_>) -> Result<(Vec<u8>, Option<Cow<'static, str>>), Unready> {
    Ok(match body {
        Body::Json(data) => (filled(data, vars)?.to_string().into_bytes(), Some("application/json".into())),
        Body::Form(pairs) => {
            let mut form = Serializer::new(String::new());
            for (name, value) in pairs {
                form.append_pair(name, &text_of(&filled(value, vars)?));
            }
            (form.finish().into_bytes(), Some("application/x-www-form-urlencoded".into()))
        }
        Body::Multipart(parts) => {
            let (bytes, media) = multipart::body(parts, vars, files)?;
            (bytes, Some(media.into()))
        }
        Body::Text(value) => (text(value, vars)?.into_bytes(), None),
        Body::File(name) => (file(name, files)?, None),
    })
}

pub(super) fn file(name: &str, files: &Files<'_>) -> Result<Vec<u8>, Unready> {
    files(name).ok_or_else(|| template_refused(format!("The file {name:?} was not sealed with the plan.")))
}
