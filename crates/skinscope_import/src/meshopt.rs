//! Compressed buffer views: `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! This module knows the rules of the two specifications (section *JSON schema updates*, appendix A) and the most that
//! a stream can decode to; the codec itself is the crate `meshopt`. The codec trusts the sizes that it is given, or
//! only asserts them, so everything is checked here first.

use std::borrow::Cow;

use gltf::json::{self, Root};
use serde_json::{Map, Value};
use skinscope_base::words::counted;
use skinscope_model::MeshoptStream;

use super::ImportError;
use super::bytes::Bytes;
use super::error::{Warnings, quoted};
use super::fields::whole;
use super::limits::Budget;
use super::view_bytes::{View, part};

/// The names of the extension, the newer one first; a view has one of them at most.
const NAMES: [&str; 2] = ["KHR_meshopt_compression", "EXT_meshopt_compression"];

const DAMAGED: &str = "the compressed data is damaged: export the model again, or without meshopt compression";

/// The coding of a stream; named in this order in [`MODES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

const MODES: [(&str, Mode); 3] =
    [("ATTRIBUTES", Mode::Attributes), ("TRIANGLES", Mode::Triangles), ("INDICES", Mode::Indices)];

/// An operation on the elements of a decoded attribute stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

const FILTERS: [(&str, Filter); 5] = [
    ("NONE", Filter::None),
    ("OCTAHEDRAL", Filter::Octahedral),
    ("QUATERNION", Filter::Quaternion),
    ("EXPONENTIAL", Filter::Exponential),
    ("COLOR", Filter::Color),
];

/// A compressed view whose description is valid.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    view: usize,
    extension: &'static str,
    bytes: Cow<'a, [u8]>,
    /// The buffer that holds the stream, and its first byte there.
    start: (usize, u64),
    mode: Mode,
    filter: Filter,
    /// Bytes from one element to the next.
    stride: usize,
    count: usize,
}

fn extension_of(view: &json::buffer::View) -> Option<(&'static str, &Value)> {
    let others = &view.extensions.as_ref()?.others;
    NAMES.into_iter().find_map(|name| Some((name, others.get(name)?)))
}

/// Returns for each buffer whether it need not be read because it is only a placeholder for the decompressed bytes of
/// its views. Such a buffer may have no bytes.
pub(super) fn stand_ins(root: &Root, bin: bool) -> Vec<bool> {
    let empty = |(i, buffer): (usize, &json::Buffer)| {
        let others = buffer.extensions.iter().flat_map(|e| NAMES.iter().filter_map(|name| e.others.get(*name)));
        let tagged = others.into_iter().any(|v| v.get("fallback") == Some(&Value::Bool(true)));
        tagged || (buffer.uri.is_none() && !(i == 0 && bin))
    };
    let mut out: Vec<bool> = root.buffers.iter().enumerate().map(empty).collect();
    let mut covered = vec![false; out.len()];
    let mut read = Vec::new();
    for view in &root.buffer_views {
        match extension_of(view) {
            Some((_, described)) => {
                covered.get_mut(view.buffer.value()).into_iter().for_each(|c| *c = true);
                read.extend(described.get("buffer").and_then(whole).and_then(|b| usize::try_from(b).ok()));
            }
            None => read.push(view.buffer.value()),
        }
    }
    for buffer in read {
        out.get_mut(buffer).into_iter().for_each(|o| *o = false);
    }
    out.iter().zip(covered).map(|(out, covered)| *out && covered).collect()
}

/// Reads and checks the extension of a view; `None` where the view is not compressed.
pub(super) fn describe<'a>(
    index: usize,
    view: &json::buffer::View,
    buffers: &[Bytes<'a>],
    decoded: &Budget,
    warnings: &Warnings,
) -> Result<Option<Stream<'a>>, ImportError> {
    let Some((extension, value)) = extension_of(view) else { return Ok(None) };
    let location = || format!("buffer view {index}, {extension}");
    let Some(object) = value.as_object() else {
        return Err(ImportError::invalid(location(), "an object", "something else"));
    };
    let mode = choice(object, ("mode", None), &MODES, &location)?;
    let filter = choice(object, ("filter", Some(Filter::None)), &FILTERS, &location)?;
    let stride = number(object, "byteStride", None, &location)?;
    let count = number(object, "count", None, &location)?;
    let from = (number(object, "byteOffset", Some(0), &location)?, number(object, "byteLength", None, &location)?);
    let buffer = usize::try_from(number(object, "buffer", None, &location)?).unwrap_or(usize::MAX);
    if count.checked_mul(stride) != Some(view.byte_length.0) {
        let length = view.byte_length.0;
        let elements = counted(count, "element", "elements");
        warnings.add(
            location(),
            format!(
                "has {elements} of {}, not the {} of its view",
                counted(stride, "byte", "bytes"),
                counted(length, "byte", "bytes")
            ),
        );
    }
    let count = usize::try_from(count)
        .map_err(|_| ImportError::invalid(location(), "a count that fits memory", count.to_string()))?;
    let bytes = part(buffer, buffers, from, &location)?.keep(decoded, &location)?;
    let stream = Stream {
        view: index,
        extension,
        bytes,
        start: (buffer, from.0),
        mode,
        filter,
        stride: check_stride(stride, mode, filter, &location)?,
        count,
    };
    stream.check_length(warnings)?;
    Ok(Some(stream))
}

/// Reads a whole number of the description.
fn number(
    object: &Map<String, Value>,
    name: &str,
    default: Option<u64>,
    location: &dyn Fn() -> String,
) -> Result<u64, ImportError> {
    match (object.get(name), default) {
        (None, Some(default)) => Ok(default),
        (value, _) => value.and_then(whole).ok_or_else(|| {
            let found = if value.is_some() { "something else" } else { "none" };
            ImportError::invalid(location(), format!("a whole number for {name}"), found)
        }),
    }
}

/// Reads a name of the description, which must be in a list.
fn choice<T: Copy>(
    object: &Map<String, Value>,
    (name, default): (&str, Option<T>),
    known: &[(&str, T)],
    location: &dyn Fn() -> String,
) -> Result<T, ImportError> {
    let found = match (object.get(name), default) {
        (None, Some(default)) => return Ok(default),
        (None, None) => "none".to_owned(),
        (Some(Value::String(text)), _) => match known.iter().find(|(n, _)| n == text) {
            Some((_, value)) => return Ok(*value),
            None => quoted(text),
        },
        (Some(_), _) => "something else".to_owned(),
    };
    let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
    Err(ImportError::invalid(location(), format!("a {name} out of {}", names.join(", ")), found))
}

/// Returns the name that the file uses for a value of such a list.
fn name_in<T: PartialEq>(known: &[(&'static str, T)], value: T) -> &'static str {
    known.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

/// Checks the stride by the rules of the specifications for each mode and filter.
fn check_stride(stride: u64, mode: Mode, filter: Filter, location: &dyn Fn() -> String) -> Result<usize, ImportError> {
    let (fits, allowed) = match (mode, filter) {
        (Mode::Attributes, Filter::None | Filter::Exponential) => {
            ((4..=256).contains(&stride) && stride.is_multiple_of(4), "a multiple of 4 up to 256")
        }
        (Mode::Attributes, Filter::Octahedral | Filter::Color) => (matches!(stride, 4 | 8), "4 or 8"),
        (Mode::Attributes, Filter::Quaternion) => (stride == 8, "8"),
        (Mode::Triangles | Mode::Indices, Filter::None) => (matches!(stride, 2 | 4), "2 or 4"),
        (Mode::Triangles | Mode::Indices, _) => {
            return Err(ImportError::invalid(location(), "no filter with compressed indices", format!("{filter:?}")));
        }
    };
    if !fits {
        let expected = format!("a byteStride of {allowed} for mode {mode:?} and filter {filter:?}");
        return Err(ImportError::invalid(location(), expected, stride.to_string()));
    }
    Ok(stride as usize)
}

impl<'a> Stream<'a> {
    fn location(&self) -> String {
        format!("buffer view {}, {} {:?}", self.view, self.extension, self.mode)
    }

    /// Compares the stated number of elements with the fewest bytes that such a stream takes, so that nothing is
    /// allocated for elements that cannot be there.
    fn check_length(&self, warnings: &Warnings) -> Result<(), ImportError> {
        if self.mode == Mode::Triangles && !self.count.is_multiple_of(3) {
            return Err(ImportError::invalid(self.location(), "a count divisible by 3", self.count.to_string()));
        }
        let version = match self.mode {
            Mode::Attributes => ::meshopt::decode_vertex_version(&self.bytes),
            Mode::Triangles | Mode::Indices => ::meshopt::decode_index_version(&self.bytes),
        };
        let Some(version) = version else {
            let found = self.bytes.first().map_or("no byte".into(), |b| format!("{b:#04x}"));
            return Err(self.damaged("a header byte of a known version", found));
        };
        let groups = |size: usize| self.count.div_ceil(size);
        let (body, ends) = match (self.mode, version) {
            // Triangles take a byte each; there is a header and a table of 16 bytes.
            (Mode::Triangles, _) => (groups(3), 1 + 16),
            // Indices take a byte each; there is a header and a tail of 4 bytes.
            (Mode::Indices, _) => (self.count, 1 + 4),
            // Every byte of an element takes 2 bits for each 16 elements; there is a header and a tail with the first
            // element.
            (Mode::Attributes, 0) => (groups(64).saturating_mul(self.stride), 1 + self.stride.max(32)),
            // Every byte of an element takes 2 bits for each block of 8 KiB or 256 elements; the tail also has a byte
            // for each four of them.
            (Mode::Attributes, _) => {
                let block = (8192 / self.stride / 16 * 16).min(256);
                (groups(block).saturating_mul(self.stride / 4), 1 + (self.stride + self.stride / 4).max(24))
            }
        };
        let least = body.saturating_add(ends);
        if self.bytes.len() < least {
            let (least, elements) = (counted(least, "byte", "bytes"), counted(self.count, "element", "elements"));
            let expected = format!("at least {least} for {elements} of {}", self.stride);
            return Err(self.damaged(expected, self.bytes.len().to_string()));
        }
        let newer = self.mode == Mode::Attributes && version > 0 || self.filter == Filter::Color;
        if newer && self.extension == NAMES[1] {
            warnings.add(self.location(), format!("uses coding that only {} allows; read all the same", NAMES[0]));
        }
        Ok(())
    }

    fn damaged(&self, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
        ImportError::invalid(self.location(), expected, found).advise(DAMAGED)
    }

    /// Returns the location of the stream in the file.
    pub(super) fn origin(&self) -> MeshoptStream {
        let (buffer, offset) = self.start;
        MeshoptStream {
            extension: self.extension,
            buffer,
            offset,
            length: self.bytes.len() as u64,
            mode: name_in(&MODES, self.mode),
            filter: name_in(&FILTERS, self.filter),
            stride: self.stride,
            count: self.count,
        }
    }

    /// Charges the memory of the decoded stream to the budget.
    pub(super) fn charge(&self, decoded: &Budget) -> Result<(), ImportError> {
        decoded.charge(&|| self.location(), self.count as u64, self.stride)
    }

    /// Decompresses the stream.
    pub(super) fn decode(&self) -> Result<View<'a>, ImportError> {
        let view = match (self.mode, self.stride) {
            (Mode::Attributes, _) => ELEMENTS[self.stride / 4 - 1](&self.bytes, self.count).map(View::Words),
            (Mode::Triangles, 2) => ::meshopt::decode_index_buffer(&self.bytes, self.count).map(View::Shorts),
            (Mode::Triangles, _) => ::meshopt::decode_index_buffer(&self.bytes, self.count).map(View::Words),
            (Mode::Indices, 2) => ::meshopt::decode_index_sequence(&self.bytes, self.count).map(View::Shorts),
            (Mode::Indices, _) => ::meshopt::decode_index_sequence(&self.bytes, self.count).map(View::Words),
        };
        let expected = || {
            let elements = counted(self.count, "element", "elements");
            format!("a stream of {elements} of {}", counted(self.stride, "byte", "bytes"))
        };
        let mut view = view.map_err(|_| {
            self.damaged(expected(), format!("other data in its {}", counted(self.bytes.len(), "byte", "bytes")))
        })?;
        if let View::Words(words) = &mut view {
            self.apply_filter(words);
        }
        Ok(view)
    }

    /// Applies the filter. Strides were checked, so the casts are exact.
    fn apply_filter(&self, words: &mut [u32]) {
        match (self.filter, self.stride) {
            (Filter::None, _) => {}
            (Filter::Octahedral, 4) => ::meshopt::decode_filter_oct::<i8>(bytemuck::cast_slice_mut(words)),
            (Filter::Octahedral, _) => ::meshopt::decode_filter_oct::<i16>(bytemuck::cast_slice_mut(words)),
            (Filter::Quaternion, _) => ::meshopt::decode_filter_quat(bytemuck::cast_slice_mut(words)),
            // The filter works on single numbers, whatever the stride.
            (Filter::Exponential, _) => ::meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(words)),
            (Filter::Color, 4) => ::meshopt::decode_filter_color::<u8>(bytemuck::cast_slice_mut(words)),
            (Filter::Color, _) => ::meshopt::decode_filter_color::<u16>(bytemuck::cast_slice_mut(words)),
        }
    }
}

/// An element of `N` words, with a default as the codec's interface demands, which long arrays lack.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Element<const N: usize>([u32; N]);

impl<const N: usize> Default for Element<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

fn elements<const N: usize>(bytes: &[u8], count: usize) -> ::meshopt::Result<Vec<u32>> {
    let elements = ::meshopt::decode_vertex_buffer::<Element<N>>(bytes, count)?;
    // The bytes are reinterpreted in-location: the layouts are the same.
    let arrays: Vec<[u32; N]> = elements.into_iter().map(|e| e.0).collect();
    Ok(arrays.into_flattened())
}

/// A decoder: it turns bytes and a number of elements into words.
type Decode = fn(&[u8], usize) -> ::meshopt::Result<Vec<u32>>;

/// The decoder of each stride from 4 to 256 in steps of 4: the codec's interface takes it as a type.
const ELEMENTS: [Decode; 64] = {
    macro_rules! table {
        ($($n:literal)*) => { [$(elements::<$n>),*] };
    }
    table!(
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
    )
};
