//! Opens the buffers of a document.

use gltf::json;
use skinscope_base::words::counted;

use super::bytes::{Bytes, Owner};
use super::error::{Warnings, quoted};
use super::uri::Resolver;
use super::{ImportError, foreign, meshopt};

/// Opens the bytes of each buffer; `None` for the binary chunk. A buffer with neither a URI nor data is no error: extensions may give it a
/// meaning, and what is shown may need none of it.
pub(super) fn open(
    root: &json::Root,
    bin: Option<Bytes>,
    resolver: &Resolver,
    warnings: &Warnings,
) -> Result<Vec<Option<Owner>>, ImportError> {
    let stand_ins = meshopt::stand_ins(root, bin.is_some());
    let open = |(i, buffer): (usize, &json::Buffer)| {
        let location = || format!("buffer {i}");
        match &buffer.uri {
            _ if stand_ins[i] => Ok(Some(Owner::Nothing)),
            Some(uri) => resolver.open(uri, true, &location).map(Some),
            None if i == 0 && bin.is_some() => Ok(None),
            None => {
                warnings.add(location(), "has neither a URI nor data; what it holds is not read");
                Ok(Some(Owner::Nothing))
            }
        }
    };
    root.buffers.iter().enumerate().map(open).collect()
}

/// Returns the bytes of all buffers, cut to their stated length.
pub(super) fn cut<'a>(
    root: &json::Root,
    bin: Option<Bytes<'a>>,
    owners: &'a [Option<Owner>],
) -> Result<Vec<Bytes<'a>>, ImportError> {
    let cut = |(i, (buffer, owner)): (usize, (&json::Buffer, &'a Option<Owner>))| {
        let bytes = match owner {
            Some(Owner::Nothing) => return Ok(Bytes::Memory(&[])),
            Some(owner) => owner.bytes(),
            None => bin.unwrap_or(Bytes::Memory(&[])),
        };
        let stated = buffer.byte_length.0;
        let part = bytes.part(0, stated);
        let location = match &buffer.uri {
            Some(uri) if owner.is_some() && !uri.starts_with("data:") => format!("buffer {i}, {}", quoted(uri)),
            _ => format!("buffer {i}"),
        };
        // Of the binary chunk of the model itself nothing else stands in its place.
        let foreign = match owner {
            Some(_) => foreign::as_buffer(bytes, (&location, stated), part.is_none())?,
            None => None,
        };
        match (foreign, part) {
            (Some(error), _) => Err(error),
            (None, Some(part)) => Ok(part),
            (None, None) => {
                let expected = format!("the {} that it states", counted(stated, "byte", "bytes"));
                Err(ImportError::invalid(format!("buffer {i}"), expected, bytes.len().to_string())
                    .advise("the file or its .bin is cut off; copy or download it again"))
            }
        }
    };
    root.buffers.iter().zip(owners).enumerate().map(cut).collect()
}
