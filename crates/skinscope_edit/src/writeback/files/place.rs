//! Writes what a model has become, by any number of edits, over the files that it was read from.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use skinscope_base::output::Replacing;
use skinscope_model::{BufferSource, Model};

use super::super::WriteError;
use super::super::container::{self, Text};
use super::super::json::{Node, PathStep};
use super::{ELSEWHERE, Origin, Output, Prepared, SaveError, Saved, Stamps, read, refuse_twice, unwritable};

const NEW_BUFFER: &str = "the model has gained a file for buffer";

/// The files that a model was read from, as they were then.
#[derive(Clone, Debug)]
pub struct Place {
    path: PathBuf,
    stamps: Stamps,
    /// The file of each buffer; `None` for one that has none of its own.
    buffers: Vec<Option<PathBuf>>,
}

impl Place {
    /// The place of a model that was read from a file; the stamps are those of it and of the files that it names.
    #[must_use]
    pub fn of(path: &Path, stamps: &Stamps, model: &Model) -> Self {
        let file =
            |source: &BufferSource| if let BufferSource::File(path) = source { Some(path.clone()) } else { None };
        let buffers = model.source.origins.buffers.iter().map(|buffer| file(&buffer.source)).collect();
        Self { path: path.to_owned(), stamps: stamps.clone(), buffers }
    }

    /// The model's own file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the place after these of its files were written from here.
    #[must_use]
    pub fn once_written(&self, written: &[PathBuf]) -> Self {
        Self { stamps: self.stamps.once_written(written), ..self.clone() }
    }

    /// Computes what the files of this place become: `model`, which edits have made of the one that was read here, and which stands in
    /// `origin` now. Each buffer stays in its file, under the name that it had. Files that stay as they are are not written, and of the
    /// others a copy is kept.
    ///
    /// # Errors
    /// The files have changed since they were read, or several buffers are one of them.
    pub fn prepare(&self, origin: Origin<'_>, model: &Model) -> Result<Prepared, SaveError> {
        let (old, new) = (read(&self.path, &self.stamps)?, origin.read()?);
        let (mut outputs, mut named) = (Vec::new(), Vec::new());
        for (buffer, of) in model.source.origins.buffers.iter().enumerate() {
            let BufferSource::File(from) = &of.source else { continue };
            let own = self.buffers.get(buffer).and_then(Option::as_ref);
            let to = own.ok_or_else(|| unwritable(&self.path, format!("{NEW_BUFFER} {buffer}; {ELSEWHERE}")))?;
            let bytes = buffer_of(from)?;
            if bytes != buffer_of(to)? {
                outputs.push(Output { path: to.clone(), bytes });
            }
            named.push(buffer);
        }
        if !outputs.is_empty() {
            // What is written for one of two buffers that are one file would change the other too.
            refuse_twice(self.buffers.iter().flatten())?;
        }
        let main = with_uris_of(&old, &new, &named)?;
        if main != old {
            outputs.push(Output { path: self.path.clone(), bytes: main });
        }
        let replacing = Replacing { keeps_copies: true, keeps_links: false };
        Ok(Prepared { outputs, saved: Saved::default(), replacing })
    }
}

fn buffer_of(path: &Path) -> Result<Vec<u8>, WriteError> {
    fs::read(path).map_err(|source| WriteError::Read { path: path.to_owned(), source })
}

/// Returns where the JSON text of a file stands: the first chunk of a GLB, all of a `.gltf`.
fn json_of(file: &[u8]) -> Range<u64> {
    let length = file.get(12..16).and_then(|length| length.first_chunk::<4>());
    match length.filter(|_| file.starts_with(b"glTF")) {
        Some(length) => 20..20 + u64::from(u32::from_le_bytes(*length)),
        None => 0..file.len() as u64,
    }
}

fn text_of(file: &[u8]) -> Result<Text<'_>, WriteError> {
    let range = json_of(file);
    let json = file.get(range.start as usize..range.end as usize);
    Text::of(json.ok_or_else(|| WriteError::Json("as many bytes".to_owned()))?)
}

/// Returns a file that names these buffers as another one does; all else stays to the byte.
fn with_uris_of(old: &[u8], new: &[u8], buffers: &[usize]) -> Result<Vec<u8>, WriteError> {
    let (before, around) = (text_of(old)?, text_of(new)?);
    let (mut from, mut text) = (Node::of(before.json), Node::of(around.json));
    let mut differ = false;
    for buffer in buffers {
        let path = [PathStep::Key("buffers"), PathStep::At(*buffer), PathStep::Key("uri")];
        let missing = || WriteError::Json(format!("a URI of buffer {buffer}"));
        let uri = from.find(&path)?.ok_or_else(missing)?.to_text();
        let named = text.find(&path)?.ok_or_else(missing)?;
        if named.to_text() != uri {
            named.set(uri);
            differ = true;
        }
    }
    if !differ {
        return Ok(new.to_vec());
    }
    let text = text.to_text();
    if new.starts_with(b"glTF") {
        return container::glb(new, (&json_of(new), Some(text.as_str())), None);
    }
    Ok([around.before, text.as_bytes(), around.after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_the_names_of_buffers_of_another_and_nothing_else_of_it() {
        let old = b" {\"buffers\": [ {\"uri\":\"a%20b.bin\", \"byteLength\":1}, {\"byteLength\":2} ]}\n";
        let new = b"{\"buffers\": [ {\"byteLength\":9 , \"uri\" : \"new.bin\"}, {\"byteLength\":2} ],\"x\":1.50}  ";
        let expected =
            b"{\"buffers\": [ {\"byteLength\":9 , \"uri\" : \"a%20b.bin\"}, {\"byteLength\":2} ],\"x\":1.50}  ";
        assert_eq!(with_uris_of(old, new, &[0]).unwrap(), expected);
        assert_eq!(with_uris_of(old, new, &[]).unwrap(), new);
        assert!(with_uris_of(old, new, &[1]).is_err(), "it has no name");
    }
}
