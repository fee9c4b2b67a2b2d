//! WASI preview 1 for policies that are compiled for it, such as Kubewarden's own for
//! `wasm32-wasip1`.
//!
//! The policy server gives a policy the clock, randomness, standard output and standard error, but
//! no arguments, environment, files or sockets. The same holds here. Output is kept with the logs
//! of the policy, standard input is empty, and a policy cannot sleep.
//!
//! The signatures and error numbers are those of
//! <https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md>; functions without a
//! file to work on answer as `wasmtime-wasi` does.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

use wasmtime::{Caller, Error, ExternType, Linker, Module, Result, Val};

use crate::memory::GuestMemory;

/// The current name of the interface, and the older one, which has the same signatures.
const NAMES: [&str; 2] = ["wasi_snapshot_preview1", "wasi_unstable"];

const SUCCESS: u32 = 0;
/// `EBADF`: the descriptor is not open.
const BAD_DESCRIPTOR: u32 = 8;
/// `ENOSYS`: there is no such function.
const NOT_SUPPORTED: u32 = 52;

const STDIN: u32 = 0;
const STDOUT: u32 = 1;
const STDERR: u32 = 2;

/// The most bytes of output that are kept of one call.
const OUTPUT_LIMIT: usize = 64 * 1024;

/// Functions on files, folders and sockets, none of which is open.
const ON_DESCRIPTORS: [&str; 32] = [
    "fd_advise",
    "fd_allocate",
    "fd_close",
    "fd_datasync",
    "fd_fdstat_set_flags",
    "fd_fdstat_set_rights",
    "fd_filestat_get",
    "fd_filestat_set_size",
    "fd_filestat_set_times",
    "fd_pread",
    "fd_prestat_dir_name",
    "fd_prestat_get",
    "fd_pwrite",
    "fd_readdir",
    "fd_renumber",
    "fd_seek",
    "fd_sync",
    "fd_tell",
    "path_create_directory",
    "path_filestat_get",
    "path_filestat_set_times",
    "path_link",
    "path_open",
    "path_readlink",
    "path_remove_directory",
    "path_rename",
    "path_symlink",
    "path_unlink_file",
    "sock_accept",
    "sock_recv",
    "sock_send",
    "sock_shutdown",
];

/// Functions that wait or raise signals.
const UNSUPPORTED: [&str; 2] = ["poll_oneoff", "proc_raise"];

/// The state of WASI in one instance.
#[derive(Debug)]
pub(crate) struct Wasi {
    started: Instant,
    output: Vec<u8>,
}

impl Default for Wasi {
    fn default() -> Self {
        Self { started: Instant::now(), output: Vec::new() }
    }
}

impl Wasi {
    pub(crate) fn printed(&self) -> impl Iterator<Item = String> {
        let lines = self.output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| String::from_utf8_lossy(line).into_owned())
    }

    fn print(&mut self, bytes: &[u8]) {
        let room = OUTPUT_LIMIT.saturating_sub(self.output.len());
        self.output.extend(bytes.iter().take(room));
    }

    /// The time on a clock in nanoseconds, `None` for a clock that the host does not have.
    fn now(&self, clock: u32) -> Option<u64> {
        let time = match clock {
            0 => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO),
            1 => self.started.elapsed(),
            _ => return None,
        };
        Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// The end of a guest that calls `proc_exit`, in the words of `wasmtime-wasi`.
#[derive(Debug)]
pub(crate) struct Exit(u32);

impl Exit {
    pub(crate) fn is_success(&self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exited with i32 exit status {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// Defines the functions that do something, for hosts whose state has that of WASI.
pub(crate) fn add_to_linker<T: AsMut<Wasi> + 'static>(linker: &mut Linker<T>) -> Result<()> {
    for name in NAMES {
        for sizes in ["args_sizes_get", "environ_sizes_get"] {
            linker.func_wrap(name, sizes, |mut host: Caller<'_, T>, count: u32, bytes: u32| {
                let (mut memory, _) = GuestMemory::of(&mut host)?;
                memory.write(count, &0_u32.to_le_bytes())?;
                memory.write(bytes, &0_u32.to_le_bytes())?;
                Ok(SUCCESS)
            })?;
        }
        for get in ["args_get", "environ_get"] {
            linker.func_wrap(name, get, |_: u32, _: u32| SUCCESS)?;
        }
        linker.func_wrap(
            name,
            "clock_time_get",
            |mut host: Caller<'_, T>, clock: u32, _: u64, address: u32| {
                let (mut memory, state) = GuestMemory::of(&mut host)?;
                let Some(now) = state.as_mut().now(clock) else { return Ok(BAD_DESCRIPTOR) };
                memory.write(address, &now.to_le_bytes())?;
                Ok(SUCCESS)
            },
        )?;
        linker.func_wrap(name, "clock_res_get", |mut host: Caller<'_, T>, clock: u32, address: u32| {
            let (mut memory, state) = GuestMemory::of(&mut host)?;
            if state.as_mut().now(clock).is_none() {
                return Ok(BAD_DESCRIPTOR);
            }
            memory.write(address, &1_u64.to_le_bytes())?;
            Ok(SUCCESS)
        })?;
        linker.func_wrap(
            name,
            "fd_fdstat_get",
            |mut host: Caller<'_, T>, descriptor: u32, address: u32| {
                if descriptor > STDERR {
                    return Ok(BAD_DESCRIPTOR);
                }
                // A stream of unknown type without flags, and the rights to read or write it and
                // everything that it opens.
                let rights: u64 = if descriptor == STDIN { 1 << 1 } else { 1 << 6 };
                let (mut memory, _) = GuestMemory::of(&mut host)?;
                let status = [0, rights, rights].map(u64::to_le_bytes);
                memory.write(address, status.as_flattened())?;
                Ok(SUCCESS)
            },
        )?;
        linker.func_wrap(
            name,
            "fd_read",
            |mut host: Caller<'_, T>, descriptor: u32, _: u32, _: u32, len: u32| {
                if descriptor != STDIN {
                    return Ok(BAD_DESCRIPTOR);
                }
                let (mut memory, _) = GuestMemory::of(&mut host)?;
                memory.write(len, &0_u32.to_le_bytes())?;
                Ok(SUCCESS)
            },
        )?;
        linker.func_wrap(name, "fd_write", fd_write)?;
        linker.func_wrap(name, "random_get", |mut host: Caller<'_, T>, address: u32, len: u32| {
            let (mut memory, _) = GuestMemory::of(&mut host)?;
            randomise(memory.slice(address, len)?);
            Ok(SUCCESS)
        })?;
        linker.func_wrap(name, "sched_yield", || SUCCESS)?;
        linker.func_wrap(name, "proc_exit", |status: u32| -> Result<()> { Err(Error::new(Exit(status))) })?;
    }
    Ok(())
}

/// Defines the other functions that a module imports: each only answers with an error number.
pub(crate) fn add_rest_to_linker<T: 'static>(linker: &mut Linker<T>, module: &Module) -> Result<()> {
    linker.allow_shadowing(true);
    for import in module.imports().filter(|import| NAMES.contains(&import.module())) {
        let answer = match import.name() {
            name if ON_DESCRIPTORS.contains(&name) => BAD_DESCRIPTOR,
            name if UNSUPPORTED.contains(&name) => NOT_SUPPORTED,
            _ => continue,
        };
        let ExternType::Func(signature) = import.ty() else { continue };
        linker.func_new(import.module(), import.name(), signature, move |_, _, results| {
            results.fill(Val::from(answer.cast_signed()));
            Ok(())
        })?;
    }
    Ok(())
}

fn fd_write<T: AsMut<Wasi> + 'static>(
    mut host: Caller<'_, T>,
    descriptor: u32,
    texts: u32,
    count: u32,
    written: u32,
) -> Result<u32> {
    if ![STDOUT, STDERR].contains(&descriptor) {
        return Ok(BAD_DESCRIPTOR);
    }
    let (mut memory, state) = GuestMemory::of(&mut host)?;
    let mut total = 0_u32;
    for text in 0..count {
        // An entry of eight bytes: address and length.
        let entry = texts.saturating_add(text.saturating_mul(8));
        let len = memory.read_u32(entry.saturating_add(4))?;
        state.as_mut().print(memory.read(memory.read_u32(entry)?, len)?);
        total = total.saturating_add(len);
    }
    memory.write(written, &total.to_le_bytes())?;
    Ok(SUCCESS)
}

/// Fills bytes with randomness of the operating system, through the seeds of the standard library's
/// hash maps.
fn randomise(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        let random = RandomState::new().build_hasher().finish().to_le_bytes();
        chunk.iter_mut().zip(random).for_each(|(byte, random)| *byte = random);
    }
}
