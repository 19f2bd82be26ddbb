//! Any body gives the same frames however it is cut.
#![no_main]

use bytes::Bytes;
use lodger_net::Framing;

libfuzzer_sys::fuzz_target!(|input: (Vec<u16>, Vec<u8>)| {
    let (cuts, body) = input;
    let body = Bytes::from(body);
    let pieces = lodger_fuzz::cut(&body, &cuts);
    let framed = |pieces| lodger_fuzz::framed(Framing::Sse, pieces);
    assert_eq!(framed(pieces), framed(vec![body]));
});
