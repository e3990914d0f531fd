//! Vertex attributes of one primitive: finds their accessors, checks them and reads their numbers.

use bytemuck::Pod;
use gltf::json;
use gltf::json::accessor::Type;
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use skinscope_base::words::counted;
use skinscope_model::{Material, PrimitiveId};

use super::accessor::Accessor;
use super::draco::Unpacked;
use super::element::Format;
use super::{ImportError, Reader};

/// The formats that are always allowed, and those that are allowed with quantization.
pub(super) type Formats = (&'static [Format], &'static [Format]);

/// The data that one primitive is read from.
pub(super) struct PrimitiveSource<'r, 'a> {
    pub reader: &'r Reader<'a>,
    pub primitive: &'r json::mesh::Primitive,
    /// The file index of the mesh, and the index of the primitive in it.
    pub at: (usize, usize),
    /// The first vertex list of the file that names the same positions and influences; `None` where this is the first.
    pub repeats: Option<PrimitiveId>,
    /// The decompressed data of the primitive, where it was compressed.
    pub unpacked: Option<Unpacked<'r>>,
    /// All materials of the file.
    pub materials: &'r [Material],
    /// How many variants the file has.
    pub variants: usize,
}

impl<'a> PrimitiveSource<'_, 'a> {
    /// Returns the location for messages, such as `mesh 0, primitive 2`.
    pub(super) fn location(&self) -> String {
        format!("mesh {}, primitive {}", self.at.0, self.at.1)
    }

    pub(super) fn warn(&self, what: &str, message: impl std::fmt::Display) {
        self.reader.warnings.add(self.location(), format!("{what} {message}"));
    }

    /// Returns the accessor of an attribute, if the primitive has it; it has as many elements as there are vertices.
    pub(super) fn attribute(&self, semantic: Semantic, count: usize) -> Result<Option<&Accessor<'_>>, ImportError> {
        let name = semantic.to_string();
        let unpacked = self.unpacked.as_ref().and_then(|u| u.attributes.get(&semantic));
        let Some(index) = self.primitive.attributes.get(&Checked::Valid(semantic)) else { return Ok(None) };
        if let Some(accessor) = unpacked {
            return self.counted(accessor, (*index, &name), count).map(Some);
        }
        self.stored(*index, &name, count).map(Some)
    }

    /// Returns an accessor of the file, which has as many elements as there are vertices.
    pub(super) fn stored(
        &self,
        index: json::Index<json::Accessor>,
        name: &str,
        count: usize,
    ) -> Result<&Accessor<'_>, ImportError> {
        let location = || format!("{}, {name}", self.location());
        self.counted(self.reader.store.accessor(index, &location)?, (index, name), count)
    }

    fn counted<'s>(
        &self,
        accessor: &'s Accessor<'s>,
        (index, name): (json::Index<json::Accessor>, &str),
        count: usize,
    ) -> Result<&'s Accessor<'s>, ImportError> {
        if accessor.count != count {
            let location = format!("{}, {name}", self.location());
            let found = format!("{} in accessor {}", accessor.count, index.value());
            return Err(ImportError::invalid(
                location,
                format!("{}, as many as POSITION has", counted(count, "element", "elements")),
                found,
            ));
        }
        Ok(accessor)
    }

    /// Reads floats after a check of their type; numbers that are not finite become zero and are counted in a warning.
    pub(super) fn floats<T: Pod, const N: usize>(
        &self,
        accessor: &Accessor,
        name: &str,
        (kind, formats): (Type, Formats),
    ) -> Result<Vec<T>, ImportError> {
        let location = || format!("{}, {name}", self.location());
        self.expect(accessor, name, kind, formats)?;
        let (mut out, largest) = self.reader.store.floats_with_largest::<T, N>(accessor, &location)?;
        let bad = if largest.is_finite() { 0 } else { make_finite(bytemuck::cast_slice_mut(&mut out)) };
        if bad > 0 {
            self.warn(
                name,
                format_args!("has {} not finite; read as 0", counted(bad, "number that is", "numbers that are")),
            );
        }
        Ok(out)
    }

    /// Checks the type. Integers that the file does not announce (`KHR_mesh_quantization`) are read all the same, with
    /// a warning.
    pub(super) fn expect(
        &self,
        accessor: &Accessor,
        name: &str,
        kind: Type,
        formats: Formats,
    ) -> Result<(), ImportError> {
        let location = || format!("{}, {name}", self.location());
        let core = accessor.expect(&[kind], formats.0, &location);
        if core.is_ok() || accessor.expect(&[kind], formats.1, &location).is_err() {
            return core;
        }
        if !self.reader.root.extensions_used.iter().any(|e| e == "KHR_mesh_quantization") {
            self.warn(
                name,
                "has integers that only the extension KHR_mesh_quantization allows, which is not announced",
            );
        }
        Ok(())
    }

    pub(super) fn optional<T: Pod, const N: usize>(
        &self,
        semantic: Semantic,
        count: usize,
        (kind, formats): (Type, Formats),
    ) -> Result<Vec<T>, ImportError> {
        let name = semantic.to_string();
        match self.attribute(semantic, count)? {
            Some(accessor) => self.floats::<T, N>(accessor, &name, (kind, formats)),
            None => Ok(Vec::new()),
        }
    }
}

/// Sets numbers that are not finite to zero and returns how many there were.
pub(super) fn make_finite(values: &mut [f32]) -> usize {
    let mut bad = 0;
    for v in values.iter_mut().filter(|v| !v.is_finite()) {
        *v = 0.0;
        bad += 1;
    }
    bad
}
