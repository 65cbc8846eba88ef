//! TLS: settings made once per trust, the handshake, its facts, and plain words for what goes wrong.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probity_core::ids::Digest;
use probity_core::observe::{Failure, FailureKind, TlsFacts};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::{CertificateError, ClientConfig, Error, ProtocolVersion, RootCertStore};
use rustls_pki_types::{IpAddr, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::trust::Trust;
use super::{anchors, dial, failed, in_words, x509};

/// What decides whom a connection trusts; connections are shared only under an equal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrustKey {
    pub(crate) unchecked: bool,
    pub(crate) file: Option<Digest>,
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
    /// `tls_failed` when the trust has no usable anchor.
    pub(crate) fn prepare(&self, key: TrustKey, pem: Option<&[u8]>) -> Result<Prepared, Failure> {
        let mut known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = known.iter().find(|(k, _)| *k == key) {
            return Ok(prepared.clone());
        }
        let provider = Arc::new(ring::default_provider());
        let trust = Arc::new(if key.unchecked {
            Trust::unchecked(Arc::clone(&provider))
        } else {
            let system = self.system.get_or_init(|| anchors::system().map(Arc::new)).clone();
            Trust::anchored(Arc::clone(&provider), pem, system)?
        });
        let verifier = Arc::clone(&trust);
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| failed(FailureKind::TlsFailed, format!("TLS cannot be set up: {e}")))?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Each connection is to prove its key anew: a resumed one would only repeat what an earlier one said.
        config.resumption = Resumption::disabled();
        let prepared = Prepared { connector: TlsConnector::from(Arc::new(config)), trust };
        known.push((key, prepared.clone()));
        Ok(prepared)
    }
}

impl Prepared {
    /// Shakes hands and reads the facts.
    ///
    /// # Errors
    /// `tls_failed`, with the reason in plain words.
    pub(crate) async fn handshake(
        &self,
        stream: TcpStream,
        host: &str,
    ) -> Result<(TlsStream<TcpStream>, TlsFacts), Failure> {
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
