//! Whose certificates are trusted beside the well-known ones.

use lodger_protocol::Error;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::Certificates;

/// So many bytes of certificates are taken from one place.
pub const MAX_CA_BYTES: usize = 4 * 1024 * 1024;

/// All of them together.
pub(super) fn read(all: &[Certificates]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificates in all {
        add(certificates, &mut roots)?;
    }
    Ok(roots)
}

fn add(certificates: &Certificates, roots: &mut RootCertStore) -> Result<(), Error> {
    let Certificates { source, pem, is_bundle } = certificates;
    let wrong = |what: &str| Error::invalid_options(format!("{source}: {what}"));
    if pem.len() > MAX_CA_BYTES {
        return Err(wrong(&format!("{} bytes; at most {MAX_CA_BYTES} are taken", pem.len())));
    }
    let before = roots.len();
    for (index, found) in CertificateDer::pem_slice_iter(pem).enumerate() {
        let added = found
            .map_err(|error| format!("is no PEM ({error})"))
            .and_then(|found| roots.add(found).map_err(|error| format!("cannot be used ({error})")));
        match added {
            Err(what) if !is_bundle => return Err(wrong(&format!("certificate {} {what}", index + 1))),
            _ => {}
        }
    }
    if roots.len() > before {
        return Ok(());
    }
    Err(wrong("there is no certificate in it; expected PEM, which begins with `-----BEGIN CERTIFICATE-----`"))
}
