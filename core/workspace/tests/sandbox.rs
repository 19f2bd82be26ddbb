//! What confined commands can do, and what they cannot.
#![cfg(all(feature = "sandbox", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod support;

use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::PathBuf;

use lodger_protocol::{ErrorCode, SandboxKind, SandboxRights};
use lodger_workspace::{Command, CommandStatus, Workspace};
use support::boxed::{PATH, in_each, is_there, of};
use support::{Bench, LONG, assert_code, command, finish, lives, open, wait_for_death};

#[test]
fn commands_write_in_their_folder_and_in_a_temporary_one() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        bench.says("mkdir -p a/b && echo one > a/b/c && mv a/b/c a/d && ln -s d a/l && ln a/d a/e && rm a/d && > a/e");
        assert_eq!(bench.names("a"), ["b", "e", "l"]);
        bench.says(r#"f=$(mktemp) && echo x > "$f" && case "$f" in "$TMPDIR"/*) ;; *) exit 1 ;; esac"#);
    });
}

#[test]
fn nothing_outside_can_be_made_changed_or_removed() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let file = bench.outside("file");
        fs::write(&file, "kept").unwrap();
        let (outside, file) = (bench.outside("").display().to_string(), file.display().to_string());
        for line in [
            format!("echo x > {outside}/new"),
            format!("echo x >> {file}"),
            format!("truncate -s 0 {file}"),
            format!("rm {file}"),
            format!("mv {file} here"),
            format!("mkdir {outside}/folder"),
            format!("touch mine && mv mine {outside}/mine"),
            format!("touch mine && ln mine {outside}/mine"),
            format!("ln {file} here && echo x > here"),
            format!("ln -s {file} link && echo x > link"),
            "touch ../beside".to_owned(),
            "touch /tmp/lodger-test-outside".to_owned(),
        ] {
            bench.fails(&line);
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
        assert_eq!(fs::read_dir(bench.outside("")).unwrap().count(), 1);
    });
}

#[test]
fn what_a_command_starts_is_confined_as_well() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let new = bench.outside("new");
        let new = new.display();
        bench.fails(&format!("bash -c 'sh -c \"echo x > {new}\"'"));
        bench.fails(&format!("(setsid touch {new}) && sleep 0.1"));
        bench.fails(&format!("env -i /bin/sh -c 'echo x > {new}'"));
        bench.fails(&format!("touch {new} & wait $!"));
    });
}

#[test]
fn other_files_can_be_read_and_programs_started() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        fs::write(bench.outside("file"), "seen").unwrap();
        assert_eq!(bench.says(&format!("cat {}", bench.outside("file").display())), "seen");
        assert_eq!(bench.says("ls / | grep -x usr"), "usr\n");
        assert_eq!(bench.says("cat < /dev/null; head -c 3 /dev/zero | wc -c; echo x > /dev/null"), "3\n");
    });
}

#[test]
fn a_tool_chain_works_as_ever() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let log = bench.says(
            "git init -q . && git config user.name a && git config user.email a@b && echo one > f && git add f && \
             git commit -qm first && git log --format=%s | tr a-z A-Z | tee copy && diff <(cat copy) <(echo FIRST)",
        );
        assert_eq!(log, "FIRST\n");
    });
}

#[test]
fn without_the_network_there_is_no_socket_to_the_outside() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        bench.fails(&format!("exec 3<> /dev/tcp/127.0.0.1/{tcp_port}"));
        bench.run(&format!("echo x > /dev/udp/127.0.0.1/{udp_port}"));
        udp.set_nonblocking(true).unwrap();
        assert!(udp.recv(&mut [0; 8]).is_err(), "a datagram came through");
        tcp.set_nonblocking(true).unwrap();
        assert!(tcp.accept().is_err(), "somebody connected");
    });
}

#[test]
fn unix_sockets_lead_nowhere() {
    in_each(|kind| {
        for network in [false, true] {
            let bench = Bench::boxed(&SandboxRights { network, ..of(kind) });
            let (stream, datagram) = (bench.path("stream.sock"), bench.path("datagram.sock"));
            let listener = UnixListener::bind(&stream).unwrap();
            let receiver = UnixDatagram::bind(&datagram).unwrap();
            let told = bench.python(
                r#"
import socket
for name, act in {
    "stream": lambda: socket.socket(socket.AF_UNIX).connect("stream.sock"),
    "datagram": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "datagram.sock"),
    "pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", "datagram.sock"),
}.items():
    try:
        act()
        print(name, "went through")
    except OSError as error:
        print(name, error.errno)
one, other = socket.socketpair()
one.send(b"ok")
print(other.recv(2).decode())
"#,
            );
            assert_eq!(told, "stream 1\ndatagram 1\npair 1\nok\n");
            listener.set_nonblocking(true).unwrap();
            assert!(listener.accept().is_err());
            receiver.set_nonblocking(true).unwrap();
            assert!(receiver.recv(&mut [0; 8]).is_err());
        }
    });
}

#[test]
fn the_network_and_unix_sockets_can_be_allowed() {
    in_each(|kind| {
        let bench = Bench::boxed(&SandboxRights { network: true, allow_unix_sockets: true, ..of(kind) });
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let listener = UnixListener::bind(bench.path("stream.sock")).unwrap();
        bench.says(&format!("echo over tcp > /dev/tcp/127.0.0.1/{}", tcp.local_addr().unwrap().port()));
        bench
            .python("import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('stream.sock')\ns.send(b'over unix')");
        let mut said = String::new();
        tcp.accept().unwrap().0.read_to_string(&mut said).unwrap();
        listener.accept().unwrap().0.read_to_string(&mut said).unwrap();
        assert_eq!(said, "over tcp\nover unix");
        assert!(bench.workspace.sandbox().unwrap().network);
    });
}

#[test]
fn unix_sockets_alone_give_no_network() {
    in_each(|kind| {
        let bench = Bench::boxed(&SandboxRights { allow_unix_sockets: true, ..of(kind) });
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        bench.fails(&format!("exec 3<> /dev/tcp/127.0.0.1/{}", tcp.local_addr().unwrap().port()));
    });
}

#[test]
fn other_processes_can_be_neither_traced_nor_looked_into() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let told = bench.python(
            r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
child = os.fork()
if child == 0:
    os.execvp("sleep", ["sleep", "100"])
PTRACE_ATTACH = 16
print("ptrace", libc.ptrace(PTRACE_ATTACH, child, 0, 0), ctypes.get_errno())
print("read", libc.process_vm_readv(child, None, 0, None, 0, 0), ctypes.get_errno())
os.kill(child, 9)
print("own child", os.WTERMSIG(os.waitpid(child, 0)[1]))
"#,
        );
        assert_eq!(told, "ptrace -1 1\nread -1 1\nown child 9\n");
        bench.fails(&format!("cat /proc/{}/environ", std::process::id()));
    });
}

#[test]
fn an_io_uring_is_refused() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let program = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n\
                       print(libc.syscall(425, 1, ctypes.create_string_buffer(120)), ctypes.get_errno())";
        assert_eq!(bench.python(program), "-1 1\n");
    });
}

/// The filter knows the calls of one interface; the 32-bit one has other numbers for them.
#[test]
#[cfg(target_arch = "x86_64")]
fn programs_of_32_bits_do_not_run() {
    let exits_with_0 = [0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80];
    let address = 0x0804_8000_u32;
    let mut program = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0".to_vec();
    for word in [address + 84, 52, 0, 0] {
        program.extend(word.to_le_bytes());
    }
    for half in [52_u16, 32, 1, 0, 0, 0] {
        program.extend(half.to_le_bytes());
    }
    for word in [1, 0, address, address, 93, 93, 5, 0x1000] {
        program.extend(word.to_le_bytes());
    }
    program.extend(exits_with_0);

    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        fs::write(bench.path("program"), &program).unwrap();
        bench.says("chmod +x program");
        bench.fails("./program");
        let free = open(&bench.path(""), PATH, &bench.processes);
        if !finish(free.run(command("./program", LONG)).unwrap()).succeeded() {
            println!("SKIPPED: this kernel runs no program of 32 bits at all");
        }
    });
}

#[test]
fn signals_reach_no_process_outside() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let mut host = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let host_pid = host.id();
        bench.fails(&format!("kill -KILL {host_pid}"));
        bench.fails(&format!("kill -0 {}", std::process::id()));
        assert!(lives(host_pid.cast_signed()));
        host.kill().unwrap();
        host.wait().unwrap();
        bench.says("sleep 1000 & kill -KILL $! && ! wait $!");
    });
}

#[test]
fn a_closed_file_cannot_be_read_under_any_name() {
    in_each(|kind| {
        let bench = Bench::boxed_without(&of(kind), |bench| vec![bench.put("conf/secret", "hidden")]);
        bench.put("conf/open", "seen");
        bench.put("other/file", "seen too");
        symlink("conf/secret", bench.path("link")).unwrap();
        for line in [
            "cat conf/secret",
            "cat link",
            "cat < /proc/self/cwd/conf/secret",
            "cp conf/secret copy",
            "mv conf/secret other/moved && cat other/moved",
            "ln conf/secret other/linked && cat other/linked",
            "mv conf other/conf && cat other/conf/secret",
        ] {
            assert!(!bench.run(line).stdout.contains("hidden"), "{line}");
        }
        // A later command does not find it under another name either.
        let found = bench.run("grep -r hidden . ; cat other/* conf/* ../work/conf/secret");
        assert!(!found.stdout.contains("hidden"), "{}", found.stdout);
        assert_eq!(bench.says("cat conf/open other/file"), "seenseen too");
        assert_eq!(fs::read_to_string(bench.path("conf/secret")).unwrap(), "hidden");
    });
}

#[test]
fn a_closed_folder_outside_hides_all_in_it_and_nothing_beside_it() {
    in_each(|kind| {
        let bench = Bench::boxed_without(&of(kind), |bench| vec![bench.outside("keys")]);
        fs::create_dir_all(bench.outside("keys/deep")).unwrap();
        fs::write(bench.outside("keys/deep/id"), "hidden").unwrap();
        fs::write(bench.outside("beside"), "seen").unwrap();
        let outside = bench.outside("").display().to_string();
        bench.fails(&format!("cat {outside}/keys/deep/id"));
        assert_eq!(bench.says(&format!("cat {outside}/beside && ls {outside}")), "seenbeside\nkeys\n");
        // What is not on the way to it is as ever.
        bench.says("echo x > new && cat new");
    });
}

#[test]
fn a_path_that_is_closed_is_looked_up_when_a_command_starts() {
    in_each(|kind| {
        let bench = Bench::boxed_without(&of(kind), |bench| vec![bench.path("conf/secret"), bench.path("nowhere")]);
        bench.put("conf/other", "");
        bench.says("ls conf");
        bench.put("conf/secret", "hidden");
        bench.fails("cat conf/secret");
    });
}

#[test]
fn under_landlock_nothing_new_can_be_made_beside_what_is_closed() {
    if !is_there(SandboxKind::Landlock) {
        return;
    }
    let bench = Bench::boxed_without(&of(SandboxKind::Landlock), |bench| vec![bench.put("conf/secret", "hidden")]);
    bench.put("conf/sub/file", "");
    bench.put("other/file", "");
    for line in ["touch conf/new", "touch new", "rm conf/secret", "mv conf/secret conf/sub/", "echo x > conf/secret"] {
        bench.fails(line);
    }
    bench.says("touch conf/sub/new other/new && echo x >> conf/sub/file");
}

#[test]
fn under_landlock_a_second_name_in_the_same_folder_is_closed_too() {
    if !is_there(SandboxKind::Landlock) {
        return;
    }
    let bench = Bench::boxed_without(&of(SandboxKind::Landlock), |bench| {
        let secret = bench.put("conf/secret", "hidden");
        fs::hard_link(&secret, bench.path("conf/second")).unwrap();
        vec![secret]
    });
    bench.fails("cat conf/second");
}

#[test]
fn bubblewrap_leaves_version_control_alone_unless_it_is_named() {
    if !is_there(SandboxKind::Bubblewrap) {
        return;
    }
    let mut rights = of(SandboxKind::Bubblewrap);
    let bench = Bench::boxed(&rights);
    bench.put(".git/hooks/pre-commit", "");
    bench.fails("echo x > .git/hooks/pre-commit");
    bench.fails("mv .git elsewhere");
    bench.says("touch file");

    // Something closed in it makes no part of it writable.
    let secret = bench.put(".git/deep/secret", "hidden");
    let workspace = open(&bench.path(""), PATH, &bench.processes).sandboxed(&rights, vec![secret]).unwrap();
    let outcome = finish(workspace.run(command("touch .git/deep/new || cat .git/deep/secret", LONG)).unwrap());
    assert!(!outcome.succeeded() || outcome.stdout.is_empty(), "{outcome:?}");
    assert!(!bench.path(".git/deep/new").exists());

    rights.writable_roots = vec![".git".to_owned()];
    let work = bench.path("");
    let workspace = open(&work, PATH, &bench.processes).sandboxed(&rights, Vec::new()).unwrap();
    let outcome = finish(workspace.run(command("echo x > .git/hooks/pre-commit", LONG)).unwrap());
    assert!(outcome.succeeded(), "{outcome:?}");
}

#[test]
fn a_confined_and_a_free_agent_live_in_one_process() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let free = open(&bench.path(""), PATH, &bench.processes);
        let line = |name: &str| format!("echo x > {}", bench.outside(name).display());
        let (confined, unconfined) = (bench.start(&line("confined")), free.run(command(&line("free"), LONG)).unwrap());
        assert!(!finish(confined).succeeded());
        assert!(finish(unconfined).succeeded());
        assert!(!bench.outside("confined").exists());
        assert!(bench.outside("free").exists());
    });
}

#[test]
fn a_command_may_run_outside_the_sandbox_of_its_workspace() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let line = format!("echo x > {}", bench.outside("file").display());
        let outcome = finish(bench.workspace.run(Command { unsandboxed: true, ..command(&line, LONG) }).unwrap());
        assert!(outcome.succeeded(), "{outcome:?}");
    });
}

#[test]
fn no_thread_of_the_host_is_confined() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let running = bench.start("echo up; sleep 1000");
        let stop = running.stop.clone();
        let mut seen = 0;
        for task in fs::read_dir("/proc/self/task").unwrap() {
            // A thread may end while it is looked at.
            let Ok(status) = fs::read_to_string(task.unwrap().path().join("status")) else { continue };
            let starts_a_command = ["lodger-box", "lodger-probe"].iter().any(|name| status.contains(name));
            if !starts_a_command {
                assert!(status.contains("NoNewPrivs:\t0") && status.contains("Seccomp:\t0"), "{status}");
                seen += 1;
            }
        }
        assert!(seen > 0);
        stop.raise();
        assert_eq!(finish(running).end.status, CommandStatus::Cancelled);
    });
}

#[test]
fn confined_commands_and_their_escapees_die_with_their_call() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let timed_out = finish(
            bench.start_with("trap '' TERM; setsid sleep 4321.5 & sleep 4321.5", std::time::Duration::from_millis(300)),
        );
        assert_eq!(timed_out.end.status, CommandStatus::TimedOut);
        support::wait_until("the end of all", || support::processes_with("4321.5", "cmdline").is_empty().then_some(()));
        assert_eq!(bench.run("exit 7").end.status, CommandStatus::Exited(7));
    });
}

#[test]
fn a_terminal_changes_nothing() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let line = format!("[ -t 1 ] && echo terminal; touch inside {}", bench.outside("file").display());
        let outcome = finish(bench.workspace.run(Command { pty: true, ..command(&line, LONG) }).unwrap());
        assert!(outcome.stdout.starts_with("terminal") && !outcome.succeeded(), "{outcome:?}");
        assert!(bench.path("inside").exists() && !bench.outside("file").exists());
        let outcome = finish(bench.workspace.run(Command { pty: true, ..command("exit 7", LONG) }).unwrap());
        assert_eq!(outcome.end.status, CommandStatus::Exited(7), "{outcome:?}");
    });
}

#[test]
fn the_temporary_folder_is_private_and_goes_with_the_workspace() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let folder = PathBuf::from(bench.says("touch $TMPDIR/file && echo $TMPDIR").trim());
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(bench.says("ls $TMPDIR"), "file\n");
        bench.workspace.shut_down();
        assert!(!folder.exists());
    });
}

#[test]
fn more_folders_can_be_made_writable() {
    in_each(|kind| {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("cache")).unwrap();
        let cache = base.path().join("cache").display().to_string();
        let bench = Bench::boxed(&SandboxRights { writable_roots: vec![cache.clone()], ..of(kind) });
        bench.says(&format!("echo x > {cache}/file"));
        // Whatever is put in its place later has no right by that.
        fs::rename(&cache, base.path().join("old")).unwrap();
        symlink(bench.outside(""), &cache).unwrap();
        assert!(!bench.run(&format!("echo x > {cache}/file")).succeeded());
        assert!(!bench.outside("file").exists());
    });
}

#[test]
fn a_writable_folder_must_be_one() {
    let bench = Bench::new();
    bench.put("file", "");
    for root in ["nowhere", "file"] {
        let rights = SandboxRights { writable_roots: vec![root.to_owned()], ..SandboxRights::default() };
        let workspace = open(&bench.path(""), PATH, &bench.processes);
        assert_code(&workspace.sandboxed(&rights, Vec::new()).unwrap_err(), ErrorCode::InvalidOptions);
    }
}

#[test]
fn the_state_says_what_holds_the_commands() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let state = bench.workspace.sandbox().unwrap();
        assert_eq!((state.kind, state.network, state.missing.as_slice()), (kind, false, [].as_slice()));
        assert!(Bench::new().workspace.sandbox().is_none());
    });
    if is_there(SandboxKind::Landlock) {
        let bench = Bench::boxed(&SandboxRights::default());
        assert_eq!(bench.workspace.sandbox().unwrap().kind, SandboxKind::Landlock);
    }
}

#[test]
fn a_confined_command_that_is_let_go_leaves_nothing() {
    in_each(|kind| {
        let bench = Bench::boxed(&of(kind));
        let running = bench.start("sleep 1000 & echo $! > child; wait");
        support::wait_until("the child", || fs::read_to_string(bench.path("child")).ok());
        let pids = support::processes_with(bench.processes.run_id(), "environ");
        drop(running);
        pids.into_iter().for_each(wait_for_death);
    });
}
