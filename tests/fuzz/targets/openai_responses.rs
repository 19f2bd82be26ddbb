//! Any body, read as a reply of this protocol.
#![no_main]

use lodger_protocol::EndpointKind;

libfuzzer_sys::fuzz_target!(|body: &[u8]| lodger_fuzz::read(EndpointKind::OpenaiResponses, body));
