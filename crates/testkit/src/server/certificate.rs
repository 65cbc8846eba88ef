//! Certificates made on the spot.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PublicKeyData as _, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

/// A self-signed certificate with its key.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    pem: String,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
    private_pem: String,
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

    /// A certificate for these names that this one vouches for: it must be an [authority](Self::authority).
    #[must_use]
    pub fn issue(&self, names: &[&str]) -> Self {
        let key = KeyPair::try_from(self.private_key.as_slice()).expect("a key");
        let mut params = CertificateParams::new(vec![]).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self::sign(names, |_| {}, Some(&Issuer::new(params, key)))
    }

    fn make(names: &[&str], adjust: impl FnOnce(&mut CertificateParams)) -> Self {
        Self::sign(names, adjust, None)
    }

    fn sign(names: &[&str], adjust: impl FnOnce(&mut CertificateParams), issuer: Option<&Issuer<'_, KeyPair>>) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(names).expect("names for a certificate");
        adjust(&mut params);
        let certificate = match issuer {
            Some(issuer) => params.signed_by(&key, issuer),
            None => params.self_signed(&key),
        }
        .expect("a certificate");
        Self {
            der: certificate.der().to_vec(),
            pem: certificate.pem(),
            public_key: key.subject_public_key_info(),
            private_key: key.serialize_der(),
            private_pem: key.serialize_pem(),
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

    /// Its private key in PEM.
    #[must_use]
    pub fn private_pem(&self) -> &str {
        &self.private_pem
    }

    /// Its SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    /// Settings of a server that offers these protocols, and asks for a certificate of `clients` if that is given.
    pub(super) fn server_config(&self, protocols: &[&str], clients: Option<&Self>) -> Arc<ServerConfig> {
        let key = PrivatePkcs8KeyDer::from(self.private_key.clone());
        let chain = vec![CertificateDer::from(self.der.clone())];
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("TLS versions");
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from(authority.der.clone())).expect("an authority");
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
            }
        };
        let mut config = builder.with_single_cert(chain, key.into()).expect("a certificate with its key");
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}
