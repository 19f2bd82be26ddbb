//! Every case through every face that can play it.

#![allow(missing_docs)]

use lodger_golden::{Face, check};

macro_rules! cases {
    ($($case:ident: $($face:ident)*;)*) => {$(
        mod $case {
            $(cases!(@face $case $face);)*
        }
    )*};
    (@face $case:ident rust) => { #[test] fn rust() { super::check(stringify!($case), super::Face::Rust); } };
    (@face $case:ident c) => { #[test] fn c() { super::check(stringify!($case), super::Face::C); } };
    (@face $case:ident node) => { #[test] fn node() { super::check(stringify!($case), super::Face::Node); } };
    (@face $case:ident bun) => { #[test] fn bun() { super::check(stringify!($case), super::Face::Bun); } };
    (@face $case:ident deno) => { #[test] fn deno() { super::check(stringify!($case), super::Face::Deno); } };
    (@face $case:ident python) => { #[test] fn python() { super::check(stringify!($case), super::Face::Python); } };
    (@face $case:ident python_sync) => {
        #[test] fn python_sync() { super::check(stringify!($case), super::Face::PythonSync); }
    };
    (@face $case:ident stream_json) => {
        #[test] fn stream_json() { super::check(stringify!($case), super::Face::StreamJson); }
    };
}

cases! {
    plain_text: rust c node bun deno python python_sync stream_json;
    host_tool: rust c node bun deno python python_sync;
    parallel_reads: rust c node bun deno python python_sync stream_json;
    allowed: rust c node bun deno python python_sync;
    denied: rust c node bun deno python python_sync;
    answered_late_from_another_thread: rust c node bun deno python python_sync;
    handler_throws: rust c node bun deno python python_sync;
    no_handler: rust c node bun deno python python_sync stream_json;
    timed_out: rust c node bun deno python python_sync;
    cancelled_in_mid_stream: rust c node bun deno python python_sync;
    slow_reader: rust c node bun deno python python_sync;
    withdrawn_by_cancel: rust c node bun deno python python_sync;
    provider_error: rust c node bun deno python python_sync stream_json;
    host_tool_with_image: rust c node bun deno python python_sync;
    panic_injection: rust c node bun deno python python_sync stream_json;
}
