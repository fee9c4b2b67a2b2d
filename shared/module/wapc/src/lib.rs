//! waPC, from the side of the guest: the functions that the host offers, with checked buffers.
//!
//! The crate wapc-guest offers the same. It keeps handlers in a locked hash map, which a module of
//! three functions does not need, and allocates each text of the host without a check, so that one
//! that does not fit into the memory of the instance would trap. This crate is the only unsafe code
//! in a module.
//!
//! Source: waPC, as wapc-guest 1.2 and the host of policy-server implement it.

#![expect(unsafe_code, reason = "the host is a foreign interface")]

#[link(wasm_import_module = "wapc")]
unsafe extern "C" {
    fn __guest_request(operation: *mut u8, payload: *mut u8);
    fn __guest_response(text: *const u8, length: usize);
    fn __guest_error(text: *const u8, length: usize);
    fn __host_call(
        binding: *const u8,
        binding_length: usize,
        namespace: *const u8,
        namespace_length: usize,
        operation: *const u8,
        operation_length: usize,
        payload: *const u8,
        payload_length: usize,
    ) -> usize;
    safe fn __host_response_len() -> usize;
    fn __host_response(buffer: *mut u8);
    safe fn __host_error_len() -> usize;
    fn __host_error(buffer: *mut u8);
}

/// The memory that has to be left beside a large text, for what is kept of it.
const SPARE: usize = 4 << 20;

/// Reads the operation and the payload of the current call, whose lengths the host has passed.
/// Returns `None` if the memory of the instance cannot hold them.
#[must_use]
pub fn request(operation: usize, payload: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut name, mut text) = (buffer(operation)?, buffer(payload)?);
    // SAFETY: the host writes as many bytes as it has announced, for which the buffers have room.
    unsafe { __guest_request(name.as_mut_ptr(), text.as_mut_ptr()) };
    // SAFETY: the host has written these bytes.
    unsafe { name.set_len(operation) };
    // SAFETY: the host has written these bytes.
    unsafe { text.set_len(payload) };
    Some((name, text))
}

/// Passes the response of the current call to the host.
pub fn respond(response: &[u8]) {
    // SAFETY: the host copies the bytes before it returns.
    unsafe { __guest_response(response.as_ptr(), response.len()) }
}

/// Passes the error of the current call to the host.
pub fn fail(error: &str) {
    // SAFETY: the host copies the bytes before it returns.
    unsafe { __guest_error(error.as_ptr(), error.len()) }
}

/// Calls an operation of the host.
///
/// # Errors
/// Returns the message of the host, or that the memory of the instance cannot hold the answer.
pub fn call(binding: &str, namespace: &str, operation: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
    // SAFETY: the host copies the texts before it returns.
    let status = unsafe {
        __host_call(
            binding.as_ptr(),
            binding.len(),
            namespace.as_ptr(),
            namespace.len(),
            operation.as_ptr(),
            operation.len(),
            payload.as_ptr(),
            payload.len(),
        )
    };
    if status == 1 {
        read(__host_response_len(), __host_response)
    } else {
        let error = read(__host_error_len(), __host_error)?;
        Err(String::from_utf8(error).unwrap_or_else(|_| "an error that is not UTF-8".to_owned()))
    }
}

/// Reads a text of the host, which has announced its length.
fn read(length: usize, write: unsafe extern "C" fn(*mut u8)) -> Result<Vec<u8>, String> {
    let Some(mut text) = buffer(length) else {
        return Err(
            ["the answer of ", &length.to_string(), " bytes exceeds the memory of the module"].concat()
        );
    };
    // SAFETY: the host writes as many bytes as it has announced, for which the buffer has room.
    unsafe { write(text.as_mut_ptr()) };
    // SAFETY: the host has written these bytes.
    unsafe { text.set_len(length) };
    Ok(text)
}

/// Returns an empty buffer for `length` bytes; `None` if it does not fit into the memory of the
/// instance or, being large, does not leave room for what is kept of it.
fn buffer(length: usize) -> Option<Vec<u8>> {
    if length >= SPARE {
        // This memory is free again at once, and the buffer takes the beginning of it.
        Vec::<u8>::new().try_reserve_exact(length.checked_add(SPARE)?).ok()?;
    }
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(length).ok()?;
    Some(buffer)
}
