//! Certificates made on the spot.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, PublicKeyData as _, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// A self-signed certificate with its key.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    pem: String,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
}

impl Certificate {
    /// A certificate for these names, valid now.
    #[must_use]
    pub fn self_signed(names: &[&str]) -> Self {
        Self::make(names, |_| {})
    }

    /// A certificate that ran out in 2001.
    #[must_use]
    pub fn expired(names: &[&str]) -> Self {
        Self::make(names, |params| {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(2001, 1, 1);
        })
    }

    /// A certificate that calls itself an authority, as `openssl req -x509` makes them.
    #[must_use]
    pub fn authority(names: &[&str]) -> Self {
        Self::make(names, |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained))
    }

    fn make(names: &[&str], adjust: impl FnOnce(&mut CertificateParams)) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(names).expect("names for a certificate");
        adjust(&mut params);
        let certificate = params.self_signed(&key).expect("a certificate");
        Self {
            der: certificate.der().to_vec(),
            pem: certificate.pem(),
            public_key: key.subject_public_key_info(),
            private_key: key.serialize_der(),
        }
    }

    /// The certificate in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The certificate in PEM.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Its SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    pub(super) fn server_config(&self) -> Arc<ServerConfig> {
        let key = PrivatePkcs8KeyDer::from(self.private_key.clone());
        let chain = vec![CertificateDer::from(self.der.clone())];
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("TLS versions")
            .with_no_client_auth()
            .with_single_cert(chain, key.into())
            .expect("a certificate with its key");
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Arc::new(config)
    }
}
