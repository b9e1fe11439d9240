//! The system calls of a program that computes and draws. All others fail as if the system did not have them
//! (`ENOSYS`), for which libraries have another way or do without: sockets, programs, other processes, mounts, keys,
//! tracing, `io_uring`, modules.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads,
};

macro_rules! calls {
    ($($call:ident)*) => { &[$(libc::$call),*] };
}

/// Calls with any arguments: of files, which Landlock limits; of memory; of threads, and for waiting; of what this
/// process and the machine are. The ends of a `socketpair` are connected to each other.
const FREE: &[libc::c_long] = calls! {
    SYS_close SYS_close_range SYS_copy_file_range SYS_dup SYS_dup3 SYS_faccessat SYS_faccessat2 SYS_fadvise64
    SYS_fallocate SYS_fchmod SYS_fchown SYS_fcntl SYS_fdatasync SYS_flock SYS_fstat SYS_fstatfs SYS_fsync SYS_ftruncate
    SYS_getcwd SYS_getdents64 SYS_linkat SYS_lseek SYS_memfd_create SYS_mkdirat SYS_newfstatat SYS_openat SYS_openat2
    SYS_pread64 SYS_preadv SYS_pwrite64 SYS_pwritev SYS_read SYS_readlinkat SYS_readv SYS_renameat SYS_renameat2
    SYS_sendfile SYS_statfs SYS_statx SYS_umask SYS_unlinkat SYS_write SYS_writev

    SYS_brk SYS_get_mempolicy SYS_madvise SYS_mbind SYS_membarrier SYS_mincore SYS_mlock SYS_mmap SYS_mprotect
    SYS_mremap SYS_msync SYS_munlock SYS_munmap SYS_set_mempolicy

    SYS_clock_getres SYS_clock_gettime SYS_clock_nanosleep SYS_clone SYS_clone3 SYS_epoll_create1 SYS_epoll_ctl
    SYS_epoll_pwait SYS_eventfd2 SYS_exit SYS_exit_group SYS_futex SYS_get_robust_list SYS_nanosleep SYS_pipe2 SYS_ppoll
    SYS_prctl SYS_pselect6 SYS_recvfrom SYS_restart_syscall SYS_rseq SYS_rt_sigaction SYS_rt_sigprocmask
    SYS_rt_sigreturn SYS_rt_sigtimedwait SYS_sched_get_priority_max SYS_sched_get_priority_min SYS_sched_getaffinity
    SYS_sched_getparam SYS_sched_getscheduler SYS_sched_setaffinity SYS_sched_yield SYS_set_robust_list
    SYS_set_tid_address SYS_sigaltstack SYS_socketpair SYS_timerfd_create SYS_timerfd_settime SYS_wait4 SYS_waitid

    SYS_getcpu SYS_getegid SYS_geteuid SYS_getgid SYS_getgroups SYS_getpgid SYS_getpid SYS_getppid SYS_getpriority
    SYS_getrandom SYS_getresgid SYS_getresuid SYS_getrusage SYS_gettid SYS_gettimeofday SYS_getuid SYS_sysinfo SYS_uname
};

/// The same in older forms, which newer architectures do not have.
#[cfg(target_arch = "x86_64")]
const OLDER: &[libc::c_long] = calls! {
    SYS_access SYS_arch_prctl SYS_dup2 SYS_epoll_create SYS_epoll_wait SYS_eventfd SYS_getdents SYS_getrlimit SYS_link
    SYS_lstat SYS_mkdir SYS_open SYS_pipe SYS_poll SYS_readlink SYS_rename SYS_rmdir SYS_select SYS_stat SYS_time
    SYS_unlink
};
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];

/// Requests of `ioctl` that type into a terminal, whose type is not the same for all C libraries.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;

/// Lets this process make these calls, and no others.
pub fn allow() -> Result<(), String> {
    let program = program().map_err(|error| error.to_string())?;
    apply_filter_all_threads(&program).map_err(|error| format!("this system has no seccomp: {error}"))
}

fn program() -> Result<BpfProgram, BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    use SeccompCmpOp::{Eq, Ne};
    // Where each of these arguments, by their numbers, is as it should be.
    let rule = |conditions: &[(u8, SeccompCmpArgLen, SeccompCmpOp, u64)]| {
        let conditions = conditions.iter().cloned();
        let conditions = conditions.map(|(at, length, is, value)| SeccompCondition::new(at, length, is, value));
        Ok::<_, BackendError>(vec![SeccompRule::new(conditions.collect::<Result<_, _>>()?)?])
    };
    let limited = [
        // Devices compute by it; typing into the user's terminal is not for a program.
        (libc::SYS_ioctl, rule(&[(1, Dword, Ne, TIOCSTI), (1, Dword, Ne, TIOCLINUX)])?),
        // To the other end, and to no address.
        (libc::SYS_sendto, rule(&[(4, Qword, Eq, 0)])?),
        // Of and to this process.
        (libc::SYS_prlimit64, rule(&[(0, Dword, Eq, 0)])?),
        (libc::SYS_tgkill, rule(&[(0, Dword, Eq, std::process::id().into())])?),
    ];
    let free = FREE.iter().chain(OLDER).map(|&call| (call, Vec::new()));
    let (refused, arch) = (SeccompAction::Errno(libc::ENOSYS as u32), std::env::consts::ARCH.try_into()?);
    SeccompFilter::new(free.chain(limited).collect(), refused, SeccompAction::Allow, arch)?.try_into()
}
