//! OpenSSH's `allowed_signers`: whose signatures are believed (ssh-keygen(1), "ALLOWED SIGNERS").
//!
//! A line names principals, perhaps options, a key type and a key: `alice@example.org namespaces="a,b" ssh-ed25519 AAAA…`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The largest file that is read, in bytes.
pub const LARGEST: usize = 1 << 20;

/// Key types that ssh-keygen signs with.
const KEY_TYPES: [&str; 7] = [
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-rsa",
];

/// One line: a key, and for whom it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// Patterns of principals.
    pub principals: Vec<String>,
    /// Options with their values, names in lower case: `cert-authority`, `namespaces`, `valid-after`, `valid-before`.
    pub options: Vec<(String, Option<String>)>,
    /// The type of the key.
    pub key_type: String,
    /// The key, as SSH writes it.
    pub key: Vec<u8>,
}

/// What is wrong with a file, and in which line of it, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Fault {
    /// The line.
    pub line: usize,
    /// A lower-case sentence without a full stop.
    pub message: String,
}

/// Reads a file. Empty lines and those that begin with `#` say nothing.
///
/// # Errors
/// The first line that is not of the form, text that is not UTF-8, a file that is too large or names nobody.
pub fn read(bytes: &[u8]) -> Result<Vec<Signer>, Fault> {
    let fault = |line: usize, message: String| Fault { line, message };
    if bytes.len() > LARGEST {
        return Err(fault(1, format!("the file has {} bytes, at most {LARGEST} are read", bytes.len())));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| fault(1, "the file is not UTF-8 text".to_owned()))?;
    let mut signers = Vec::new();
    for (position, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            signers.push(signer(line).map_err(|message| fault(position + 1, message))?);
        }
    }
    if signers.is_empty() {
        return Err(fault(1, "the file names no signer".to_owned()));
    }
    Ok(signers)
}

fn signer(line: &str) -> Result<Signer, String> {
    let mut words = words(line)?.into_iter();
    let principals: Vec<String> = words.next().map(|word| split(&word)).unwrap_or_default();
    if principals.is_empty() || principals.iter().any(String::is_empty) {
        return Err("a principal is empty".to_owned());
    }
    let missing = || "after the principals stand options, if any, a key type and a key".to_owned();
    let mut word = words.next().ok_or_else(missing)?;
    let mut options = Vec::new();
    if !KEY_TYPES.contains(&word.as_str()) {
        let next = words.next().ok_or_else(missing)?;
        if !KEY_TYPES.contains(&next.as_str()) {
            // Not repeated: whoever names the wrong file may have named a secret one.
            return Err(format!("there is no key type that is known here: {}", KEY_TYPES.join(", ")));
        }
        options = split(&word).iter().map(|one| option(one)).collect::<Result<_, _>>()?;
        word = next;
    }
    let key = words.next().ok_or_else(missing)?;
    let key = STANDARD.decode(&key).map_err(|_| "the key is not base64".to_owned())?;
    if !is_key(&key, &word) {
        return Err(format!("the key is not one of type {word}"));
    }
    // What follows is a comment.
    Ok(Signer { principals, options, key_type: word, key })
}

/// Words between blanks; a blank inside double quotes separates nothing. The quotes stay.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        let blank = matches!(c, ' ' | '\t');
        if blank && !quoted {
            if words.last().is_some_and(|word| !word.is_empty()) {
                words.push(String::new());
            }
            continue;
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
        // Comments may hold single quotes and anything else; only what is needed is told apart.
        if words.len() > 4 {
            return Ok(words);
        }
    }
    if quoted { Err("a quote is not closed".to_owned()) } else { Ok(words) }
}

/// Parts between commas outside quotes, their quotes taken off.
fn split(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in word.chars() {
        let last = parts.len() - 1;
        match c {
            '"' if !escaped => quoted = !quoted,
            ',' if !quoted => parts.push(String::new()),
            '\\' if !escaped && quoted => {}
            c => parts[last].push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    parts
}

fn option(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let name = name.to_ascii_lowercase();
    let fits = match (name.as_str(), value) {
        ("cert-authority", None) => true,
        ("namespaces", Some(value)) => !value.is_empty(),
        ("valid-after" | "valid-before", Some(value)) => is_time(value),
        _ => false,
    };
    if fits {
        return Ok((name, value.map(str::to_owned)));
    }
    Err("an option is none of cert-authority, namespaces, valid-after and valid-before, or has no such value"
        .to_owned())
}

/// `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, perhaps with `Z`.
fn is_time(text: &str) -> bool {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    matches!(digits.len(), 8 | 12 | 14) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether bytes are a sequence of strings with their lengths before them, the first of them the key's type.
fn is_key(mut bytes: &[u8], key_type: &str) -> bool {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return false };
        let length = u32::from_be_bytes(*length) as usize;
        let Some((part, rest)) = rest.split_at_checked(length) else { return false };
        parts.push(part);
        bytes = rest;
    }
    parts.len() >= 2 && parts[0] == key_type.as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key_type: &str) -> String {
        let part = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
        STANDARD.encode([part(key_type.as_bytes()), part(&[7; 32])].concat())
    }

    #[test]
    fn lines_of_the_form_are_read() {
        let ed = key("ssh-ed25519");
        let sk = key("sk-ssh-ed25519@openssh.com");
        let text = format!(
            "# who may sign\n\nalice@example.org,*@qa.test ssh-ed25519 {ed} Alice's \"desk\n\
             ci namespaces=\"probity-run@v1,probity-plan@v1\",valid-before=\"20270101Z\" ssh-ed25519 {ed}\r\n\
             \"two words\"\tCERT-AUTHORITY  sk-ssh-ed25519@openssh.com {sk}\n"
        );
        let signers = read(text.as_bytes()).unwrap();
        assert_eq!(signers.len(), 3);
        assert_eq!(signers[0].principals, ["alice@example.org", "*@qa.test"]);
        assert_eq!(signers[0].key, STANDARD.decode(&ed).unwrap());
        let value = |text: &str| Some(text.to_owned());
        assert_eq!(
            signers[1].options,
            [
                ("namespaces".to_owned(), value("probity-run@v1,probity-plan@v1")),
                ("valid-before".to_owned(), value("20270101Z"))
            ]
        );
        assert_eq!(signers[2].principals, ["two words"]);
        assert_eq!(signers[2].options, [("cert-authority".to_owned(), None)]);
        assert_eq!(signers[2].key_type, "sk-ssh-ed25519@openssh.com");
    }

    #[test]
    fn anything_else_is_refused_with_its_line() {
        let ed = key("ssh-ed25519");
        let cases = [
            ("", 1, "no signer"),
            ("# nobody\n", 1, "no signer"),
            ("alice", 1, "a key type and a key"),
            ("alice ssh-ed25519", 1, "a key type and a key"),
            (&format!("a ssh-ed25519 {ed}\nalice {ed}"), 2, "a key type and a key"),
            ("alice ssh-ed25519 !!", 1, "not base64"),
            (&format!("alice ssh-rsa {ed}"), 1, "not one of type ssh-rsa"),
            (&format!("alice ssh-ed25519 {}", &ed[..ed.len() - 4]), 1, "not one of type"),
            ("alice ssh-ed25519 AAAA", 1, "not one of type"),
            (&format!("alice ssh-dss {ed}"), 1, "no key type"),
            (&format!("alice colour=\"red\" ssh-ed25519 {ed}"), 1, "an option is none of"),
            (&format!("alice valid-after=\"soon\" ssh-ed25519 {ed}"), 1, "an option is none of"),
            (&format!("alice namespaces=\"a ssh-ed25519 {ed}"), 1, "not closed"),
            (&format!("alice,,bob ssh-ed25519 {ed}"), 1, "principal is empty"),
            ("{\"signers\": []}", 1, "a key type and a key"),
            ("API_TOKEN = hunter2hunter2", 1, "no key type"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\n", 1, "no key type"),
        ];
        for (text, line, message) in cases {
            let fault = read(text.as_bytes()).unwrap_err();
            assert!(fault.line == line && fault.message.contains(message), "{text}: {fault}");
            assert!(!fault.message.contains("hunter2"), "{fault}");
        }
        assert_eq!(read(&[0xff]).unwrap_err().message, "the file is not UTF-8 text");
        assert!(read(&vec![b'#'; LARGEST + 1]).unwrap_err().message.contains("at most"));
    }
}
