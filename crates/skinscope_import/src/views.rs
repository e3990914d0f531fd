//! Reads buffer views: finds their bytes in the file, or decompresses them.

use gltf::json::{self, Root};
use skinscope_model::ViewOrigin;

use super::bytes::Bytes;
use super::error::Warnings;
use super::limits::Budget;
use super::view_bytes::{View, part};
use super::{ImportError, Progress, meshopt};

/// Checks every view against the bytes that are there, and decompresses those that need it on all cores. Also returns
/// the location of each.
pub(super) fn read<'a>(
    root: &Root,
    buffers: &[Bytes<'a>],
    decoded: &Budget,
    warnings: &Warnings,
    progress: &Progress,
) -> Result<(Vec<View<'a>>, Vec<ViewOrigin>), ImportError> {
    let mut out = Vec::with_capacity(root.buffer_views.len());
    let mut origins: Vec<ViewOrigin> = root.buffer_views.iter().map(origin).collect();
    let mut packed = Vec::new();
    for (i, view) in root.buffer_views.iter().enumerate() {
        match meshopt::describe(i, view, buffers, decoded, warnings)? {
            Some(stream) => {
                stream.charge(decoded)?;
                origins[i].meshopt = Some(Box::new(stream.origin()));
                packed.push((i, stream));
                out.push(View::Stored(Bytes::Memory(&[])));
            }
            None if is_missing(root, view.buffer.value(), buffers) => out.push(View::Missing(view.buffer.value())),
            None => out.push(View::Stored(check(i, view, &origins[i], buffers)?)),
        }
    }
    let unpacked = progress.map(packed.len(), &|turn| packed[turn].1.decode())?;
    for ((i, _), view) in packed.iter().zip(unpacked) {
        out[*i] = view?;
    }
    Ok((out, origins))
}

/// Returns whether a buffer has no data: all others have as many bytes as they state. What such buffers hold is left to extensions (glTF 2.0,
/// 3.6.1.2), so that a file may have one as long as nothing shown needs it.
fn is_missing(root: &Root, buffer: usize, buffers: &[Bytes]) -> bool {
    let stated = root.buffers.get(buffer).map(|buffer| buffer.byte_length.0);
    stated.zip(buffers.get(buffer)).is_some_and(|(stated, bytes)| bytes.len() < stated)
}

/// Returns the location that a view states for its bytes.
fn origin(view: &json::buffer::View) -> ViewOrigin {
    let offset = view.byte_offset.map_or(0, |o| o.0);
    ViewOrigin { buffer: view.buffer.value(), offset, length: view.byte_length.0, meshopt: None }
}

fn check<'a>(
    index: usize,
    view: &json::buffer::View,
    origin: &ViewOrigin,
    buffers: &[Bytes<'a>],
) -> Result<Bytes<'a>, ImportError> {
    let location = || format!("buffer view {index}");
    if let Some(stride) = view.byte_stride.filter(|s| s.0 == 0 || s.0 > 252) {
        return Err(ImportError::invalid(location(), "a byteStride of 4 to 252", stride.0.to_string()));
    }
    part(origin.buffer, buffers, (origin.offset, origin.length), &location)
}
