//! Who is trusted on a connection: nobody checked, the file's anchors, the system's anchors.

use std::sync::Arc;

use probity_core::observe::{Failure, FailureKind};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature_with_raw_key};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};

use super::{anchors, failed, x509};

/// Checks servers' certificates and knows afterwards which anchor held.
#[derive(Debug)]
pub(crate) struct Trust {
    unchecked: bool,
    file: Option<FileAnchors>,
    system: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
struct FileAnchors {
    certificates: Vec<CertificateDer<'static>>,
    verifier: Option<Arc<WebPkiServerVerifier>>,
}

impl Trust {
    /// Trust in everyone: the certificate is recorded, not checked.
    pub(crate) fn unchecked(provider: Arc<CryptoProvider>) -> Self {
        Self { unchecked: true, file: None, system: None, provider }
    }

    /// Trust in the system's anchors and, if there is one, in a PEM text's.
    ///
    /// # Errors
    /// `tls_failed` when the text holds no usable certificate, or when there is no anchor at all.
    pub(crate) fn anchored(
        provider: Arc<CryptoProvider>,
        pem: Option<&[u8]>,
        system: Option<Arc<RootCertStore>>,
    ) -> Result<Self, Failure> {
        let file = pem.map(|pem| FileAnchors::read(pem, &provider)).transpose()?;
        let system = system.and_then(|roots| verifier(roots, &provider));
        if file.is_none() && system.is_none() {
            let message = "this system has no bundle of trust anchors; name the issuer's certificate under tls.ca";
            return Err(failed(FailureKind::TlsFailed, message));
        }
        Ok(Self { unchecked: false, file, system, provider })
    }

    /// Where the trust in a certificate that was accepted came from.
    pub(crate) fn anchor(&self, chain: &[CertificateDer<'_>], name: &ServerName<'_>) -> &'static str {
        let Some((leaf, rest)) = chain.split_first() else { return "unchecked" };
        match &self.file {
            _ if self.unchecked => "unchecked",
            Some(file) if file.check(leaf, rest, name, UnixTime::now()).is_ok() => "file",
            _ => "system",
        }
    }
}

fn verifier(roots: Arc<RootCertStore>, provider: &Arc<CryptoProvider>) -> Option<Arc<WebPkiServerVerifier>> {
    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider)).build().ok()
}

impl FileAnchors {
    fn read(pem: &[u8], provider: &Arc<CryptoProvider>) -> Result<Self, Failure> {
        let certificates = anchors::from_pem(pem)?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates.iter().cloned());
        Ok(Self { verifier: verifier(Arc::new(roots), provider), certificates })
    }

    fn check(
        &self,
        leaf: &CertificateDer<'_>,
        rest: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.certificates.contains(leaf) {
            return check_itself(leaf, name, now);
        }
        let verifier = self.verifier.as_ref().ok_or(Error::InvalidCertificate(CertificateError::UnknownIssuer))?;
        verifier.verify_server_cert(leaf, rest, name, &[], now)
    }
}

/// A self-signed certificate that the file names is its own anchor, also when it calls itself an authority (as
/// `openssl req -x509` makes them): then only its dates and its name are left to check.
fn check_itself(leaf: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<ServerCertVerified, Error> {
    let parts = x509::parts(leaf).ok_or(Error::InvalidCertificate(CertificateError::BadEncoding))?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    if now < parts.validity.0 {
        return Err(Error::InvalidCertificate(CertificateError::NotValidYet));
    }
    if now > parts.validity.1 {
        return Err(Error::InvalidCertificate(CertificateError::Expired));
    }
    verify_server_name(&ParsedCertificate::try_from(leaf)?, name)?;
    Ok(ServerCertVerified::assertion())
}

/// Whether an error only says that the anchors are not those of the certificate. Issuers of one name with different
/// keys show as a bad signature.
fn is_stranger(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature))
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        rest: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.unchecked {
            return Ok(ServerCertVerified::assertion());
        }
        let by_file = self.file.as_ref().map(|file| file.check(leaf, rest, name, now));
        match (by_file, &self.system) {
            (Some(Ok(held)), _) => Ok(held),
            // The file knows the issuer: then its reason is the one that helps.
            (Some(Err(e)), _) if !is_stranger(&e) => Err(e),
            (_, Some(system)) => system.verify_server_cert(leaf, rest, name, &[], now),
            (Some(Err(e)), None) => Err(e),
            (None, None) => Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, leaf, signature, &self.provider.signature_verification_algorithms)
    }

    /// The key is taken from the certificate by our own walk, so that an unchecked one may be of any version; that the
    /// peer holds the key is checked all the same, or its digest would mean nothing.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let parts = x509::parts(leaf).ok_or(Error::InvalidCertificate(CertificateError::BadEncoding))?;
        let key = SubjectPublicKeyInfoDer::from(parts.key);
        verify_tls13_signature_with_raw_key(message, &key, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
