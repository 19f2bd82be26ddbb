//! Any body gives the same frames of Amazon's event stream however it is cut, and so do messages whose checksums are right.
#![no_main]

use bytes::Bytes;
use lodger_net::Framing;

/// A message around these bytes, with checksums that are right, as those who fuzz cannot guess them.
fn message(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_be_bytes();
    let mut out = [length(16 + headers.len() + payload.len()), length(headers.len())].concat();
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend([headers, payload].concat());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

libfuzzer_sys::fuzz_target!(|input: (Vec<u16>, Vec<(Vec<u8>, Vec<u8>)>, Vec<u8>)| {
    let (cuts, messages, rest) = input;
    let mut body: Vec<u8> = messages.iter().flat_map(|(headers, payload)| message(headers, payload)).collect();
    body.extend(rest);
    let body = Bytes::from(body);
    let pieces = lodger_fuzz::cut(&body, &cuts);
    let framed = |pieces| lodger_fuzz::framed(Framing::AwsEventStream, pieces);
    assert_eq!(framed(pieces), framed(vec![body]));
});
