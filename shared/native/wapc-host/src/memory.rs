//! The memory of a guest, as a host function sees it.

use wasmtime::{Caller, Error, Extern, Result, Trap};

/// The bytes of a guest's memory. A range that lies outside ends the call with a trap.
#[derive(Debug)]
pub(crate) struct GuestMemory<'m>(&'m mut [u8]);

impl<'m> GuestMemory<'m> {
    /// Splits the caller of a host function into its memory and its state. The error of a guest
    /// that exports no `memory` has the words of `wasmtime-provider`.
    pub(crate) fn of<'c: 'm, T: 'static>(caller: &'c mut Caller<'_, T>) -> Result<(Self, &'m mut T)> {
        let export = caller.get_export("memory").ok_or_else(|| Error::msg("Cannot find 'mem' export"))?;
        let Extern::Memory(memory) = export else {
            return Err(Error::msg("'mem' export cannot be converted into a Memory instance"));
        };
        let (bytes, state) = memory.data_and_store_mut(caller);
        Ok((Self(bytes), state))
    }

    pub(crate) fn read(&self, address: u32, len: u32) -> Result<&[u8]> {
        self.0.get(range(address, len)?).ok_or_else(|| Trap::MemoryOutOfBounds.into())
    }

    /// The text of a range; `what` names it in the error for text that is not UTF-8.
    pub(crate) fn read_text(&self, what: &str, address: u32, len: u32) -> Result<&str> {
        let bytes = self.read(address, len)?;
        std::str::from_utf8(bytes)
            .map_err(|error| Error::msg(format!("{what}: cannot convert to UTF8: {error}")))
    }

    pub(crate) fn read_u32(&self, address: u32) -> Result<u32> {
        let bytes = self.read(address, 4)?.try_into().unwrap_or_default();
        Ok(u32::from_le_bytes(bytes))
    }

    /// The range itself, to be written.
    pub(crate) fn slice(&mut self, address: u32, len: u32) -> Result<&mut [u8]> {
        self.0.get_mut(range(address, len)?).ok_or_else(|| Trap::MemoryOutOfBounds.into())
    }

    pub(crate) fn write(&mut self, address: u32, bytes: &[u8]) -> Result<()> {
        let len = u32::try_from(bytes.len()).map_err(|_| Trap::MemoryOutOfBounds)?;
        self.slice(address, len)?.copy_from_slice(bytes);
        Ok(())
    }
}

fn range(address: u32, len: u32) -> Result<std::ops::Range<usize>> {
    let end = address.checked_add(len).ok_or(Trap::MemoryOutOfBounds)?;
    match (usize::try_from(address), usize::try_from(end)) {
        (Ok(start), Ok(end)) => Ok(start..end),
        _ => Err(Trap::MemoryOutOfBounds.into()),
    }
}
