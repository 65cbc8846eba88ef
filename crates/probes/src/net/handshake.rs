//! TLS: settings made once per trust, the handshake, its facts, and plain words for what goes wrong.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probity_core::ids::Digest;
use probity_core::observe::{Failure, FailureKind, TlsFacts};
use probity_core::plan::HttpVersion;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::{AlertDescription, CertificateError, ClientConfig, Error, ProtocolVersion, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, IpAddr, PrivateKeyDer, ServerName};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::stream::Stream;
use super::trust::Trust;
use super::{anchors, dial, failed, in_words, x509};

/// What decides whom a connection trusts; connections are shared only under an equal one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustKey {
    pub(crate) unchecked: bool,
    pub(crate) file: Option<Digest>,
    /// The certificate that the client shows, and the name of its key.
    pub(crate) client: Option<(Digest, String)>,
    pub(crate) version: HttpVersion,
}

/// The bytes behind a [`TrustKey`].
#[derive(Clone, Copy)]
pub(crate) struct Material<'a> {
    /// Trust anchors (PEM).
    pub(crate) ca: Option<&'a [u8]>,
    /// The client's certificate with its issuers (PEM).
    pub(crate) cert: Option<&'a [u8]>,
    /// Its key (PEM).
    pub(crate) key: Option<&'a str>,
}

/// TLS settings by trust, and the system's anchors, read when first needed.
#[derive(Default)]
pub(crate) struct Tls {
    system: OnceLock<Option<Arc<RootCertStore>>>,
    prepared: Mutex<Vec<(TrustKey, Prepared)>>,
}

/// Settings that are ready for a handshake.
#[derive(Clone)]
pub(crate) struct Prepared {
    connector: TlsConnector,
    trust: Arc<Trust>,
}

impl Tls {
    /// The settings for a trust, made on first use.
    ///
    /// # Errors
    /// `tls_failed` when the trust has no usable anchor, or the client's certificate and key do not fit;
    /// `credential_missing` when the key is not at hand.
    pub(crate) fn prepare(&self, key: &TrustKey, material: Material<'_>) -> Result<Prepared, Failure> {
        let mut known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = known.iter().find(|(k, _)| k == key) {
            return Ok(prepared.clone());
        }
        let provider = Arc::new(ring::default_provider());
        let trust = Arc::new(if key.unchecked {
            Trust::unchecked(Arc::clone(&provider))
        } else {
            let system = self.system.get_or_init(|| anchors::system().map(Arc::new)).clone();
            Trust::anchored(Arc::clone(&provider), material.ca, system)?
        });
        let verifier = Arc::clone(&trust);
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| failed(FailureKind::TlsFailed, format!("TLS cannot be set up: {e}")))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &key.client {
            None => builder.with_no_client_auth(),
            Some((_, name)) => {
                let (chain, private) = identity(material, name)?;
                builder.with_client_auth_cert(chain, private).map_err(|e| {
                    let message = format!("the client's certificate cannot be used with its key: {e}");
                    failed(FailureKind::TlsFailed, message)
                })?
            }
        };
        config.alpn_protocols = match key.version {
            HttpVersion::Auto => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            HttpVersion::One => vec![b"http/1.1".to_vec()],
            HttpVersion::Two => vec![b"h2".to_vec()],
        };
        // Each connection is to prove its key anew: a resumed one would only repeat what an earlier one said.
        config.resumption = Resumption::disabled();
        let prepared = Prepared { connector: TlsConnector::from(Arc::new(config)), trust };
        known.push((key.clone(), prepared.clone()));
        Ok(prepared)
    }
}

impl Prepared {
    /// Shakes hands and reads the facts.
    ///
    /// # Errors
    /// `tls_failed`, with the reason in plain words.
    pub(crate) async fn handshake(&self, stream: Stream, host: &str) -> Result<(TlsStream<Stream>, TlsFacts), Failure> {
        let name = server_name(host)?;
        let stream = self.connector.connect(name.clone(), stream).await.map_err(|e| explain(host, &e))?;
        let session = stream.get_ref().1;
        let chain = session.peer_certificates().unwrap_or_default();
        let leaf = chain.first().ok_or_else(|| failed(FailureKind::TlsFailed, "the server showed no certificate"))?;
        let version = match session.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => "1.3",
            _ => "1.2",
        };
        let suite = session.negotiated_cipher_suite().and_then(|s| s.suite().as_str()).unwrap_or("unknown");
        let facts = TlsFacts {
            version: version.to_owned(),
            suite: suite.to_owned(),
            key: x509::key_digest(leaf),
            anchor: self.trust.anchor(chain, &name).to_owned(),
        };
        Ok((stream, facts))
    }
}

/// Certificate and key of the client. What is wrong with a key is said without a word of it.
fn identity(
    material: Material<'_>,
    name: &str,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Failure> {
    let chain = anchors::from_pem(material.cert.unwrap_or_default()).map_err(|_| {
        failed(FailureKind::TlsFailed, "the client's certificate (tls.cert) is not PEM, or holds no certificate")
    })?;
    let missing = || {
        let what = match name.strip_prefix("file:") {
            Some(path) => format!("the key file {path} is not there, or cannot be read"),
            None => format!("the credential {name} is not set in the environment"),
        };
        failed(FailureKind::CredentialMissing, what)
    };
    let pem = material.key.ok_or_else(missing)?;
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes())
        .map_err(|_| failed(FailureKind::TlsFailed, "the client's key (tls.key) is no private key in PEM"))?;
    Ok((chain, key))
}

/// What TLS said on a connection after its handshake, if an error is that. With TLS 1.3 a server that refuses the
/// client's certificate says so only then.
pub(crate) fn refusal(error: &io::Error) -> Option<AlertDescription> {
    match error.get_ref()?.downcast_ref::<Error>()? {
        Error::AlertReceived(alert) => Some(*alert),
        _ => None,
    }
}

/// What such a refusal is called.
pub(crate) fn told(host: &str, alert: AlertDescription) -> Failure {
    explain(host, &io::Error::other(Error::AlertReceived(alert)))
}

fn server_name(host: &str) -> Result<ServerName<'static>, Failure> {
    if let Some(ip) = dial::literal(host) {
        return Ok(ServerName::IpAddress(IpAddr::from(ip)));
    }
    ServerName::try_from(host.to_owned())
        .map_err(|_| failed(FailureKind::TlsFailed, format!("{host} cannot be the name in a certificate")))
}

fn explain(host: &str, error: &io::Error) -> Failure {
    let reason = match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(what)) => certificate_reason(host, what),
        Some(Error::InvalidMessage(_)) => "the other side does not speak TLS on this port".to_owned(),
        Some(Error::AlertReceived(alert)) => format!("the server refused the handshake: alert {alert:?}"),
        Some(Error::PeerIncompatible(what)) => format!("no version or suite in common: {what:?}"),
        Some(other) => other.to_string(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => "the connection was closed during it".to_owned(),
        None => in_words(error),
    };
    failed(FailureKind::TlsFailed, format!("the TLS handshake with {host} failed: {reason}"))
}

fn certificate_reason(host: &str, error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "the certificate's issuer is not trusted (unknown issuer); name its certificate under tls.ca".to_owned()
        }
        CertificateError::NotValidForName => format!("the certificate is not for {host} (name mismatch)"),
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<_> = presented.iter().take(5).map(|n| n.chars().take(80).collect::<String>()).collect();
            format!("the certificate is not for {host} (name mismatch); it is for {}", names.join(", "))
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the certificate has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet".to_owned()
        }
        CertificateError::BadEncoding => "the certificate cannot be read".to_owned(),
        other => format!("the certificate was refused: {other}"),
    }
}
