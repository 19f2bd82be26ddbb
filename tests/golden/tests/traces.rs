//! Every case through every face, in every way in which the face can be read.
//!
//! A test is called `CASE::FACE::TAP`. A case that a face cannot play names its faces, and says why.

#![allow(missing_docs)]

use lodger_golden::{Face, check};

/// A module for each case, and in it one for each face.
macro_rules! cases {
    ($($case:ident: $($face:ident)*;)*) => {$(
        mod $case {
            use super::*;
            $(faces!($case $face);)*
        }
    )*};
}

macro_rules! faces {
    ($case:ident all) => { faces!($case all_but_python_sync); faces!($case python_sync); };
    ($case:ident all_but_python_sync) => {
        faces!($case rust);
        faces!($case c);
        faces!($case node);
        faces!($case bun);
        faces!($case deno);
        faces!($case python);
    };
    ($case:ident rust) => { taps!($case rust Rust: stream); };
    ($case:ident c) => { taps!($case c C: pull waker waitable listener mailbox); };
    ($case:ident node) => { taps!($case node Node: iterator awaited stream); };
    ($case:ident bun) => { taps!($case bun Bun: iterator); };
    ($case:ident deno) => { taps!($case deno Deno: iterator); };
    ($case:ident python) => { taps!($case python Python: iterator stream); };
    ($case:ident python_sync) => { taps!($case python_sync PythonSync: iterator stream); };
    ($case:ident stream_json) => { taps!($case stream_json StreamJson: stdout); };
}

macro_rules! taps {
    ($case:ident $module:ident $face:ident: $($tap:ident)*) => {
        mod $module {
            use super::*;
            $(#[test] fn $tap() { check(stringify!($case), Face::$face, stringify!($tap)); })*
        }
    };
}

cases! {
    plain_text: all stream_json;
    host_tool: all;
    host_tool_throws: all;
    host_tool_with_image: all;
    // The command line takes a text.
    documents: all;
    parallel_reads: all stream_json;
    // Without an event loop tools run one after the other, on the thread that reads.
    parallel_requests_out_of_order: all_but_python_sync;
    allowed: all;
    denied: all;
    answered_by_id: all;
    answered_late_from_another_thread: all;
    handler_throws: all;
    question: all;
    question_dismissed: all;
    plan_approved: all;
    plan_rejected: all;
    no_handler: all stream_json;
    timed_out: all;
    cancelled_before_start: all;
    cancelled_in_mid_stream: all;
    withdrawn_by_cancel: all;
    structured_output: all;
    slow_reader: all;
    checkpoint_and_restore: all;
    provider_error: all stream_json;
    fallback_model: all stream_json;
    panic_injection: all stream_json;
}
