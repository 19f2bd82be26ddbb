//! A file that is a mount point, as containers have them.
#![cfg(all(feature = "local", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::process::{Command, Stdio};

use lodger_protocol::Intent;
use lodger_workspace::{StopFlag, Workspace};
use support::host::Host;

/// Not a test of its own: a host with mounts of its own, that the test below starts in a folder of its own.
#[test]
#[ignore = "started by the other test of this file"]
fn host() {
    support::host::act(|_, _, workspace| {
        for name in ["target", "source"] {
            std::fs::write(name, "old and longer").unwrap();
        }
        assert!(Command::new("mount").args(["--bind", "source", "target"]).status().unwrap().success());
        let report = workspace.resolve("target", Intent::Write).unwrap().write(b"new", &StopFlag::default()).unwrap();
        let content = ["target", "source"].map(|name| std::fs::read_to_string(name).unwrap());
        std::fs::write("seen", format!("{} {content:?}\n", report.atomic)).unwrap();
    });
}

#[test]
fn a_mount_point_is_written_in_place() {
    let may = Command::new("unshare").args(["--mount", "true"]).stderr(Stdio::null()).status();
    // Only root may have mounts of its own.
    if may.is_ok_and(|status| status.success()) {
        let host = Host::start_under("unshare", &["--mount"], "mounted");
        assert_eq!(host.wait_for("seen"), "false [\"new\", \"new\"]\n");
    }
}
