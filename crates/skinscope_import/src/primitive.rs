//! Reads primitives: vertex attributes, indices, morph targets.

use glam::{Vec2, Vec3, Vec4};
use gltf::json;
use gltf::json::accessor::Type;
use gltf::json::mesh::{Mode, Semantic};
use gltf::json::validation::Checked;
use skinscope_base::math::{Aabb, largest_magnitude};
use skinscope_base::words::counted;
use skinscope_model::{MaterialId, MorphTarget, Part, Primitive, PrimitiveOrigin, SourceMode};

use super::accessor::Accessor;
use super::attributes::{Formats, PrimitiveSource};
use super::element::{Format, format};
use super::{ImportError, influences, tangents, topology};

/// The component types of each attribute: those of glTF itself, and those that `KHR_mesh_quantization` adds.
const POSITION: Formats = (&[format::F32], &[format::I8_ANY, format::U8_ANY, format::I16_ANY, format::U16_ANY]);
const DIRECTION: Formats = (&[format::F32], &[format::I8_UNIT, format::I16_UNIT]);
const TEXCOORD: Formats = (&[format::F32, format::U8_UNIT, format::U16_UNIT], POSITION.1);
const COLOR: Formats = (&[format::F32, format::U8_UNIT, format::U16_UNIT], &[]);
const INDEX: &[Format] = &[format::U8, format::U16, format::U32];

impl PrimitiveSource<'_, '_> {
    /// Returns the locations in the file of the influences of a primitive that [`Self::read`] has read.
    pub(super) fn origin(&self, read: &Primitive) -> PrimitiveOrigin {
        let sets = read.stored_influences.as_ref().map(|read| influences::origins(self, read));
        PrimitiveOrigin {
            sets: sets.unwrap_or_default(),
            draco: super::draco::origin(self.primitive, self.unpacked.as_ref()),
        }
    }

    /// Reads the primitive without its vertices, which it shares with primitive `holder` of the mesh.
    pub(super) fn read_sharing(&self, holder: usize, like: &Primitive) -> Result<Primitive, ImportError> {
        let Checked::Valid(mode) = self.primitive.mode else { return Err(self.unknown_mode()) };
        let (source_mode, topology) = topology::of_mode(mode);
        let material = self.material()?;
        let variants = super::variants::of_primitive(self.reader, self.primitive, &self.location(), self.variants)?;
        let morphs = vec![MorphTarget::default(); like.morphs.len()];
        let shares = Some(holder);
        Ok(Primitive { topology, source_mode, material, variants, morphs, shares, ..Primitive::default() })
    }

    fn unknown_mode(&self) -> ImportError {
        ImportError::invalid(self.location(), "a mode from 0 (points) to 6 (triangle fan)", "another")
    }

    /// Returns the index list of the primitive once strips, fans and loops are unrolled.
    fn unrolled(&self, mode: SourceMode, vertices: usize) -> Result<Vec<u32>, ImportError> {
        Ok(topology::unroll(mode, self.indices(mode, vertices)?))
    }

    /// Reads the whole primitive, and those of the mesh that share its vertices: `sharing` are they, in their order. Returns
    /// this one, which has the triangles of all, and then the others.
    pub(super) fn read(&self, target_count: usize, sharing: &[Self]) -> Result<Vec<Primitive>, ImportError> {
        let mut out = self.read_vertices(target_count)?;
        let others: Vec<Primitive> =
            sharing.iter().map(|other| other.read_sharing(self.at.1, &out)).collect::<Result<_, _>>()?;
        if !sharing.is_empty() {
            self.join(&mut out, sharing, &others)?;
        }
        tangents::complete(self, &mut out, &others)?;
        Ok(std::iter::once(out).chain(others).collect())
    }

    /// Adds the triangles of the primitives that share the vertices of this one, each as a part of its index list.
    fn join(&self, out: &mut Primitive, sharing: &[Self], others: &[Primitive]) -> Result<(), ImportError> {
        out.parts.push(Part { primitive: self.at.1, indices: 0..out.indices.len() });
        for (source, other) in sharing.iter().zip(others) {
            let start = out.indices.len();
            out.indices.extend(source.unrolled(other.source_mode, out.positions.len())?);
            out.parts.push(Part { primitive: source.at.1, indices: start..out.indices.len() });
        }
        Ok(())
    }

    /// Reads the vertices and triangles of the primitive itself.
    fn read_vertices(&self, target_count: usize) -> Result<Primitive, ImportError> {
        let Checked::Valid(mode) = self.primitive.mode else { return Err(self.unknown_mode()) };
        // A compressed strip is decoded to triangles.
        let mode = if self.unpacked.is_some() { Mode::Triangles } else { mode };
        let (source_mode, topology) = topology::of_mode(mode);
        let material = self.material()?;
        let variants = super::variants::of_primitive(self.reader, self.primitive, &self.location(), self.variants)?;
        let targets = self.primitive.targets.as_ref().map_or(0, Vec::len);
        if targets != target_count {
            let expected = format!(
                "{}, as the mesh's first primitive has",
                counted(target_count, "morph target", "morph targets")
            );
            return Err(ImportError::invalid(self.location(), expected, targets.to_string()));
        }
        let positions = Checked::Valid(Semantic::Positions);
        let Some(position) = self.primitive.attributes.get(&positions) else {
            self.warn("POSITION", "is missing; nothing of this primitive is drawn");
            let morphs = vec![MorphTarget::default(); target_count];
            return Ok(Primitive { topology, source_mode, material, variants, morphs, ..Primitive::default() });
        };
        let location = || format!("{}, POSITION", self.location());
        let unpacked = self.unpacked.as_ref().and_then(|u| u.attributes.get(&Semantic::Positions));
        let accessor = unpacked.map_or_else(|| self.reader.store.accessor(*position, &location), Ok)?;
        let count = accessor.count;
        self.check_stored(accessor)?;
        Limits32::check(count, &location)?;
        let positions: Vec<Vec3> = self.floats::<Vec3, 3>(accessor, "POSITION", (Type::Vec3, POSITION))?;
        if count > 1 && positions.iter().all(|p| *p == positions[0]) {
            self.warn("POSITION", format_args!("puts all {count} vertices at one point"));
        }
        if largest_magnitude(bytemuck::cast_slice(&positions)) > Aabb::FAR {
            let far = Aabb::FAR;
            self.warn("POSITION", format_args!("has coordinates beyond {far:e} m; computing with them overflows"));
        }
        let indices = self.unrolled(source_mode, count)?;
        let mut out = Primitive {
            topology,
            source_mode,
            material,
            variants,
            indices,
            positions,
            stored_vertices: count,
            repeats: self.repeats,
            normals: self.optional::<Vec3, 3>(Semantic::Normals, count, (Type::Vec3, DIRECTION))?,
            tangents: self.optional::<Vec4, 4>(Semantic::Tangents, count, (Type::Vec4, DIRECTION))?,
            uvs: [self.uvs(0, count)?, self.uvs(1, count)?],
            colors: self.colors(count)?,
            stored_influences: influences::read(self, count)?,
            morphs: self.morphs(count, target_count)?,
            ..Primitive::default()
        };
        self.note_unused(count)?;
        self.unit_directions(&mut out);
        Ok(out)
    }

    /// Checks for positions without bytes: they are compressed by an extension that is not supported, or all zeros.
    fn check_stored(&self, positions: &Accessor) -> Result<(), ImportError> {
        let compressed = |name: &&String| name.ends_with("_mesh_compression");
        let mut extensions = self.primitive.extensions.iter().flat_map(|e| e.others.keys());
        match extensions.find(compressed) {
            _ if positions.is_stored() => Ok(()),
            Some(name) => {
                let name = super::error::quoted(name).trim_matches('"').to_owned();
                Err(ImportError::Extension { name, advice: "export the model without it, or with a fallback" })
            }
            None => {
                self.warn("POSITION", "has no buffer view; all positions are zero");
                Ok(())
            }
        }
    }

    fn material(&self) -> Result<Option<MaterialId>, ImportError> {
        let Some(material) = self.primitive.material else { return Ok(None) };
        let have = self.reader.root.materials.len();
        if material.value() >= have {
            let found = format!("material {}", material.value());
            return Err(ImportError::invalid(self.location(), format!("a material below {have}"), found));
        }
        Ok(Some(MaterialId::from_index(material.value())))
    }

    fn uvs(&self, set: u32, count: usize) -> Result<Vec<Vec2>, ImportError> {
        self.optional::<Vec2, 2>(Semantic::TexCoords(set), count, (Type::Vec2, TEXCOORD))
    }

    fn colors(&self, count: usize) -> Result<Vec<Vec4>, ImportError> {
        let Some(accessor) = self.attribute(Semantic::Colors(0), count)? else { return Ok(Vec::new()) };
        if accessor.kind == Type::Vec3 {
            let rgb = self.floats::<Vec3, 3>(accessor, "COLOR_0", (Type::Vec3, COLOR))?;
            self.reader.decoded.charge(&|| self.location(), count as u64, size_of::<Vec4>())?;
            return Ok(rgb.into_iter().map(|c| c.extend(1.0)).collect());
        }
        self.floats::<Vec4, 4>(accessor, "COLOR_0", (Type::Vec4, COLOR))
    }

    /// Returns the stored index list, or 0, 1, 2, … where there is none.
    fn indices(&self, mode: SourceMode, vertices: usize) -> Result<Vec<u32>, ImportError> {
        let location = || format!("{}, indices", self.location());
        let reader = self.reader;
        let indices: Vec<u32> = match (&self.unpacked, self.primitive.indices) {
            (Some(unpacked), _) => {
                reader.decoded.charge(&location, unpacked.indices.len() as u64, 4)?;
                unpacked.indices.to_vec()
            }
            (None, Some(index)) => {
                let accessor = reader.store.accessor(index, &location)?;
                accessor.expect(&[Type::Scalar], INDEX, &location)?;
                reader.store.integers::<u32, 1>(accessor, &location)?
            }
            (None, None) => {
                reader.decoded.charge(&location, vertices as u64, 4)?;
                (0..vertices as u32).collect()
            }
        };
        // Unrolled strips and fans write each index up to three times.
        reader.decoded.charge(&location, indices.len() as u64, 3 * 4)?;
        // Searching the largest index lets the compiler use wide instructions.
        let most = indices.iter().fold(0, |most, i| most.max(*i));
        let outside = (most as usize >= vertices).then(|| indices.iter().position(|i| *i as usize >= vertices));
        if let Some(at) = outside.flatten() {
            let found = format!("{} at position {at}", indices[at]);
            return Err(ImportError::invalid(location(), format!("vertices below {vertices}"), found));
        }
        let extra = topology::left_over(mode, indices.len());
        if extra > 0 {
            let total = counted(indices.len(), "index", "indices");
            let last = counted(extra, "completes nothing and was", "complete nothing and were");
            self.warn("has", format_args!("{total}, of which the last {last} ignored"));
        }
        Ok(indices)
    }

    fn morphs(&self, count: usize, target_count: usize) -> Result<Vec<MorphTarget>, ImportError> {
        let mut out = Vec::with_capacity(target_count);
        for (t, target) in self.primitive.targets.iter().flatten().enumerate() {
            let list = |index: Option<json::Index<json::Accessor>>, what: &str, formats: Formats| {
                let name = format!("morph target {t}, {what}");
                let Some(index) = index else { return Ok(Vec::new()) };
                let accessor = self.stored(index, &name, count)?;
                self.floats::<Vec3, 3>(accessor, &name, (Type::Vec3, formats))
            };
            out.push(MorphTarget {
                positions: list(target.positions, "POSITION", POSITION)?,
                normals: list(target.normals, "NORMAL", DIRECTION)?,
                tangents: list(target.tangents, "TANGENT", DIRECTION)?,
            });
        }
        Ok(out)
    }

    /// Checks attributes that exist but are not shown, and warns of them.
    fn note_unused(&self, count: usize) -> Result<(), ImportError> {
        for semantic in self.primitive.attributes.keys() {
            let Checked::Valid(semantic) = semantic else {
                self.warn("has", "an attribute of unknown name, which was ignored");
                continue;
            };
            let name = semantic.to_string();
            self.attribute(semantic.clone(), count)?;
            if matches!(semantic, Semantic::TexCoords(2..) | Semantic::Colors(1..)) {
                self.warn(&name, "is not shown: two sets of texture coordinates and one of colours are");
            }
        }
        Ok(())
    }

    /// Normalises normals and tangents, which exporters and integers leave a little off.
    fn unit_directions(&self, out: &mut Primitive) {
        let mut zero = 0;
        for n in &mut out.normals {
            *n = n.try_normalize().unwrap_or_else(|| {
                zero += 1;
                Vec3::Y
            });
        }
        if zero > 0 {
            self.warn("NORMAL", format_args!("has {} of length zero; read as +Y", counted(zero, "vector", "vectors")));
        }
        let mut odd = 0;
        for t in &mut out.tangents {
            let unit = t.truncate().try_normalize();
            let side = if t.w < 0.0 { -1.0 } else { 1.0 };
            odd += usize::from(unit.is_none() || (t.w.abs() - 1.0).abs() > 0.01);
            *t = unit.unwrap_or(Vec3::X).extend(side);
        }
        if odd > 0 {
            self.warn(
                "TANGENT",
                format_args!(
                    "has {} without direction or side; read as +X or its sign",
                    counted(odd, "vector", "vectors")
                ),
            );
        }
    }
}

/// A limit: vertices are addressed with 32 bits.
struct Limits32;

impl Limits32 {
    fn check(count: usize, location: &dyn Fn() -> String) -> Result<(), ImportError> {
        super::Limits::check(&location(), "the number of vertices", count as u64, u64::from(u32::MAX))
    }
}
