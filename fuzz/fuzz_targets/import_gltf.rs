//! The JSON of a `.gltf` and, after a zero byte, the bytes of its buffers: the fuzzer works on text and on bytes without
//! base64 between them.
#![no_main]

mod check;
#[path = "../../tests/memory/mutants/survive.rs"]
mod survive;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let (text, bytes) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    match serde_json::from_slice::<Value>(text) {
        Ok(root) => check::check(with_buffers(root, bytes).to_string().as_bytes()),
        Err(_) => check::check(text),
    }
});

/// `root` with `bytes` as every buffer that names no other.
fn with_buffers(mut root: Value, bytes: &[u8]) -> Value {
    let uri = format!("data:;base64,{}", BASE64_STANDARD.encode(bytes));
    let buffers = root.get_mut("buffers").and_then(Value::as_array_mut);
    for buffer in buffers.into_iter().flatten().filter_map(Value::as_object_mut).take(4) {
        buffer.entry("uri").or_insert_with(|| json!(uri));
    }
    root
}
