#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = fuzz_targets::run("address", input);
});
