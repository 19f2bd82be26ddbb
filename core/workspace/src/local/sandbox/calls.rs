//! The filter of system calls: what a command may not ask of the kernel, whatever the files say.
//!
//! A call that is refused fails with EPERM, as it would for lack of rights.

use std::collections::BTreeMap;
use std::io;

use lodger_protocol::{Error, Result, SandboxRights};
use nix::libc;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::failed;

/// Never allowed: looking into other processes, ways around this filter, and the system itself.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    // An io_uring makes sockets and opens files without a system call that a filter would see.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Keys of the user's session.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_setns,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
];

/// Not under Landlock; bubblewrap itself needs them, and takes the right to them away afterwards.
const MOUNTS: &[libc::c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
];

/// Numbers that only the 32-bit interface of 64-bit processors has.
#[cfg(target_arch = "x86_64")]
mod x32 {
    use nix::libc::c_long;

    /// Set in the number of every call that is made through that interface.
    pub(super) const BIT: c_long = 0x4000_0000;
    /// ptrace, kexec_load, process_vm_readv, process_vm_writev.
    pub(super) const OWN: &[c_long] = &[521, 528, 539, 540];
}

/// A filter, ready to be laid on a thread.
pub(super) struct Filter(BpfProgram);

type Calls = BTreeMap<i64, Vec<SeccompRule>>;

impl Filter {
    /// Beside Landlock.
    pub(super) fn of_landlock(rights: &SandboxRights) -> Result<Self> {
        let sockets = match (rights.network, rights.allow_unix_sockets) {
            (true, true) => None,
            (true, false) => Some(vec![domain(SeccompCmpOp::Eq)]),
            (false, true) => Some(vec![domain(SeccompCmpOp::Ne)]),
            (false, false) => Some(Vec::new()),
        };
        Self::new(&[NEVER, MOUNTS], sockets, rights.allow_unix_sockets)
    }

    /// Around bubblewrap, which has a network of its own.
    pub(super) fn of_bubblewrap(rights: &SandboxRights) -> Result<Self> {
        let sockets = (!rights.allow_unix_sockets).then(|| vec![domain(SeccompCmpOp::Eq)]);
        Self::new(&[NEVER], sockets, rights.allow_unix_sockets)
    }

    /// `sockets` says which are refused; an empty list, all.
    fn new(
        refused: &[&[libc::c_long]],
        sockets: Option<Vec<std::result::Result<SeccompRule, BackendError>>>,
        allow_unix_sockets: bool,
    ) -> Result<Self> {
        let compile = || -> std::result::Result<BpfProgram, BackendError> {
            let mut calls: Calls = refused.iter().copied().flatten().map(|call| (*call, Vec::new())).collect();
            if let Some(sockets) = sockets {
                calls.insert(libc::SYS_socket, sockets.into_iter().collect::<std::result::Result<_, _>>()?);
            }
            if !allow_unix_sockets {
                // A pair of datagram sockets is not bound to itself: either end can send to any path.
                let addressable = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(pair_of);
                calls.insert(libc::SYS_socketpair, addressable.into_iter().collect::<std::result::Result<_, _>>()?);
            }
            #[cfg(target_arch = "x86_64")]
            {
                let by_x32: Calls = calls.iter().map(|(call, rules)| (call | x32::BIT, rules.clone())).collect();
                calls.extend(by_x32);
                calls.extend(x32::OWN.iter().map(|call| (call | x32::BIT, Vec::new())));
            }
            let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
            SeccompFilter::new(calls, SeccompAction::Allow, refusal, std::env::consts::ARCH.try_into()?)?.try_into()
        };
        compile().map(Self).map_err(|error| Error::internal(format!("the filter of system calls: {error}")))
    }

    /// Lays it on the calling thread, for good.
    pub(super) fn restrict_this_thread(&self) -> io::Result<()> {
        apply_filter(&self.0).map_err(failed)
    }
}

/// Sockets whose domain is, or is not, that of Unix sockets.
fn domain(comparison: SeccompCmpOp) -> std::result::Result<SeccompRule, BackendError> {
    argument(0, comparison, libc::AF_UNIX)
}

/// Pairs of sockets of this type, whatever flags stand beside it.
fn pair_of(kind: libc::c_int) -> std::result::Result<SeccompRule, BackendError> {
    const TYPE_MASK: u64 = 0xf;
    argument(1, SeccompCmpOp::MaskedEq(TYPE_MASK), kind)
}

fn argument(index: u8, comparison: SeccompCmpOp, value: libc::c_int) -> std::result::Result<SeccompRule, BackendError> {
    let value = u64::from(value.unsigned_abs());
    SeccompRule::new(vec![SeccompCondition::new(index, SeccompCmpArgLen::Dword, comparison, value)?])
}
