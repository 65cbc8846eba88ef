//! Trust anchors: the system's, and those of a file that the plan names.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use probity_core::observe::{Failure, FailureKind};
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::failed;

/// Where systems keep their bundle, in the order in which they are tried. The variables that other programs read
/// to find one (`SSL_CERT_FILE`, `SSL_CERT_DIR`) are left alone: whoever sets them could vouch for any server.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// A bundle is read up to this many bytes.
const MAX_BUNDLE: u64 = 16 << 20;

/// The system's anchors; `None` when no bundle is found or none of its certificates can be used.
pub(crate) fn system() -> Option<RootCertStore> {
    BUNDLES.iter().find_map(|path| {
        let mut bytes = Vec::new();
        File::open(Path::new(path)).ok()?.take(MAX_BUNDLE).read_to_end(&mut bytes).ok()?;
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(CertificateDer::pem_slice_iter(&bytes).flatten());
        (!store.is_empty()).then_some(store)
    })
}

/// How many anchors the system offers, and where.
#[must_use]
pub fn found() -> Option<(&'static str, usize)> {
    let bundle = BUNDLES.into_iter().find(|path| Path::new(path).is_file())?;
    Some((bundle, system()?.len()))
}

/// The certificates of a PEM text, in order.
///
/// # Errors
/// `tls_failed` when it holds none or one that cannot be read.
pub(crate) fn from_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|e| failed(FailureKind::TlsFailed, format!("the file of trust anchors is not PEM: {e}")))?;
    if certificates.is_empty() {
        let message = "the file of trust anchors holds no certificate; it takes PEM, `-----BEGIN CERTIFICATE-----`";
        return Err(failed(FailureKind::TlsFailed, message));
    }
    Ok(certificates)
}
