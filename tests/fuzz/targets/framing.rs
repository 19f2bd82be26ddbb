//! Any body gives the same frames however it is cut.
#![no_main]

use bytes::Bytes;

libfuzzer_sys::fuzz_target!(|input: (Vec<u16>, Vec<u8>)| {
    let (cuts, body) = input;
    let body = Bytes::from(body);
    let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| usize::from(cut) % (body.len() + 1)).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([body.len()]) {
        pieces.push(body.slice(from..cut));
        from = cut;
    }
    assert_eq!(lodger_fuzz::framed(pieces), lodger_fuzz::framed(vec![body]));
});
