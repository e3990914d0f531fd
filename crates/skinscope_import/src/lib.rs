//! Reads a glTF 2.0 file into a [`Model`].
//!
//! It reads files and URIs within limits, checks accessors, and converts the parts of a glTF document to parts of a
//! model. A file is untrusted: every size, index and number is checked before it is used, a broken rule is an
//! [`ImportError`], and what can be repaired is repaired and listed as a [`Warning`]. This crate knows nothing of time,
//! poses or the GPU.
//!
//! Import is a plain call, meant for a background thread; [`Progress`] reports how much is done and can cancel it.
//! Images are decoded in parallel with the geometry; a caller that shows the model before all of them are decoded calls
//! [`import_file_showing`].

#![forbid(unsafe_code)]

mod accessor;
mod attributes;
mod buffers;
mod bytes;
mod clips;
mod container;
mod copies;
mod cut_off;
mod decode;
mod draco;
mod element;
mod environment;
mod environment_checks;
mod error;
mod expressions;
mod extensions;
mod far;
mod fields;
mod foreign;
mod humanoid;
mod images;
mod influences;
mod joint_limits;
mod kept_layers;
mod key_times;
mod key_values;
mod ktx2;
mod layers;
mod lights;
mod limits;
mod links;
mod materials;
mod meshes;
mod meshopt;
mod mikktspace;
mod nodes;
mod openexr;
mod origins;
mod parting;
mod png;
mod pointers;
mod points;
mod primitive;
mod radiance;
mod skins;
mod tangents;
#[cfg(test)]
mod tests;
mod texture_slots;
mod topology;
mod unknown;
mod uri;
mod variants;
mod view_bytes;
mod views;
mod visibility;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use accessor::Store;
use bytes::{Bytes, OpenFile, Owner};
pub use cut_off::is_cut_off;
pub use environment::{ENVIRONMENT_ENDINGS, is_environment, read_environment};
pub use error::{ImportError, Warning};
use error::{Warnings, quoted};
pub use extensions::{EXTENSIONS, Extension, Support};
use gltf::json;
use images::PendingImages;
pub use influences::weight_warnings;
use limits::Budget;
pub use limits::{Limits, Progress};
use pointers::{PointerChannel, World};
pub use points::{POINT_ENDINGS, read_points};
use skinscope_model::{
    AccessorOrigin, BlockFormats, LocalPose, MeshId, Model, ModelParts, NodeMembers, Origins, Skeleton, SourceInfo,
    ViewOrigin,
};
pub use tangents::corner_tangents;
use uri::Resolver;

/// Options of an import.
#[derive(Clone, Default)]
pub struct Options {
    /// The largest sizes that the file may have.
    pub limits: Limits,
    /// Whether the file may refer to files outside of its own folder (by `..` or links). Absolute paths and URIs of
    /// other schemes are never allowed.
    pub allow_external: bool,
    /// Returns the compressed texture formats of the device that will draw the model; `None`: it has none. It is called
    /// from another thread for the first image that could use them, and may block until there is a device.
    pub block_formats: Option<AskFormats>,
    /// Whether images can be decoded again from their files, which then stay open as long as the model: their pixels
    /// may be freed once a device has them ([`skinscope_model::Image::free`]). It is of use to a program that draws and ends.
    pub frees_pixels: bool,
}

/// A function that returns the compressed texture formats of a device; it may block until there is a device.
pub type AskFormats = Arc<dyn Fn() -> BlockFormats + Send + Sync>;

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { limits, allow_external, block_formats: _, frees_pixels } = self;
        f.debug_struct("Options")
            .field("limits", limits)
            .field("allow_external", allow_external)
            .field("frees_pixels", frees_pixels)
            .finish_non_exhaustive()
    }
}

/// The result of an import.
#[derive(Debug)]
pub struct Import {
    /// The model, checked, with every image that could be decoded.
    pub model: Arc<Model>,
    /// What was repaired or left out, in the order in which it was found.
    pub warnings: Vec<Warning>,
}

/// A function that receives a model that can be drawn although images of it are still pending, and the warnings so far.
type OnModel<'a> = &'a mut dyn FnMut(Arc<Model>, Vec<Warning>);

/// The data that every part of the importer reads from.
struct Reader<'a> {
    root: &'a json::Root,
    /// The meshes that must not be parted ([`parting::named_meshes`]).
    named_meshes: &'a [MeshId],
    /// The paths that buffers and images name.
    files: &'a [PathBuf],
    /// The pointer channels of each animation; empty where the file has none.
    pointers: &'a [Vec<PointerChannel>],
    /// For each animation: the index in the file of each channel of `root`; empty where it is the same.
    channels: &'a [Vec<usize>],
    /// Where the figure stands, if that is far away.
    far: Option<&'a far::Placing>,
    store: &'a Store<'a>,
    limits: &'a Limits,
    decoded: &'a Budget,
    warnings: &'a Warnings,
    progress: Progress<'a>,
}

/// Imports a `.gltf` or `.glb` file and the files that it refers to. It blocks until all images are decoded.
///
/// # Errors
/// The file cannot be read, breaks a rule, requires an unknown extension or exceeds a limit, or the import was
/// cancelled.
pub fn import_file(path: &Path, options: &Options, progress: &Progress) -> Result<Import, ImportError> {
    open_file(path, options, progress, None)
}

/// Does the same as [`import_file`], and calls `shown` once with the model as soon as it can be drawn. Pending images
/// are then decoded while the import goes on. Where the import is cancelled after that, the images that are not decoded
/// yet are left out.
///
/// # Errors
/// The same as those of [`import_file`]; none after `shown` was called.
pub fn import_file_showing(
    path: &Path,
    options: &Options,
    progress: &Progress,
    shown: OnModel,
) -> Result<Import, ImportError> {
    open_file(path, options, progress, Some(shown))
}

/// Imports a model in memory: a GLB, or the JSON of a glTF whose buffers are data URIs. `name` is the name of the model
/// in titles ([`skinscope_model::SourceInfo::name`]).
///
/// # Errors
/// The same as those of [`import_file`]; any reference to another file is an error too.
pub fn import_bytes(bytes: &[u8], name: &str, options: &Options, progress: &Progress) -> Result<Import, ImportError> {
    open_bytes(bytes, name, options, progress, None)
}

/// Does the same as [`import_bytes`], and calls `shown` early, as [`import_file_showing`] does.
///
/// # Errors
/// The same as those of [`import_bytes`]; none after `shown` was called.
pub fn import_bytes_showing(
    bytes: &[u8],
    name: &str,
    options: &Options,
    progress: &Progress,
    shown: OnModel,
) -> Result<Import, ImportError> {
    open_bytes(bytes, name, options, progress, Some(shown))
}

/// Returns the paths of the files that the buffers and images of a `.gltf` or `.glb` file name, whether they exist or
/// not, so that a caller can watch those that a failed import lacked. Empty where the JSON text cannot be read. The
/// paths have the same folder as those of [`skinscope_model::SourceInfo::files`].
#[must_use]
pub fn named_files(path: &Path, options: &Options) -> Vec<PathBuf> {
    let read = || -> Result<Vec<PathBuf>, ImportError> {
        let (file, folder) = opened(path, &path.display().to_string(), &options.limits)?;
        let files = Budget::new("the length of all files in bytes", options.limits.file_bytes);
        let resolver = Resolver::new(Some(folder), options.allow_external, &files);
        let warnings = Warnings::default();
        let parts = container::split(file.bytes(), &options.limits, &warnings)?;
        let text = container::text(&parts.json, &warnings)?;
        Ok(resolver.named(&container::parse(text, &options.limits, &warnings)?.root))
    };
    error::guarded(read).and_then(Result::ok).unwrap_or_default()
}

/// Opens a file, which errors call `said`, and returns it with the folder in which it names others.
fn opened(path: &Path, said: &str, limits: &Limits) -> Result<(Owner, PathBuf), ImportError> {
    let failed = |source| ImportError::Read { path: said.to_owned(), source };
    let Some((file, length)) = uri::open_regular(path).map_err(failed)? else {
        let found = if path.is_dir() { "a folder" } else { "a device, a pipe or the like" };
        return Err(ImportError::invalid(said, "a file", found).advise("choose a .gltf or .glb file"));
    };
    Limits::check(said, "its length in bytes", length, limits.file_bytes)?;
    // The folder of the path that was asked for: where that is a link, the folder of the link.
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(failed)?;
    Ok((Owner::File(OpenFile { file: Arc::new(file), name: said.to_owned() }, length), folder))
}

fn open_file(
    path: &Path,
    options: &Options,
    progress: &Progress,
    shown: Option<OnModel>,
) -> Result<Import, ImportError> {
    progress.step(0.0, "Reading file")?;
    let said = path.display().to_string().replace(char::is_control, "�");
    let (file, folder) = opened(path, &said, &options.limits)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let files = Budget::new("the length of all files in bytes", options.limits.file_bytes);
    let resolver = Resolver::new(Some(folder), options.allow_external, &files);
    isolated(|| import(file.bytes(), &name, options, &resolver, progress, shown))
}

fn open_bytes(
    bytes: &[u8],
    name: &str,
    options: &Options,
    progress: &Progress,
    shown: Option<OnModel>,
) -> Result<Import, ImportError> {
    let files = Budget::new("the length of all files in bytes", options.limits.file_bytes);
    let resolver = Resolver::new(None, false, &files);
    isolated(|| import(Bytes::Memory(bytes), name, options, &resolver, progress, shown))
}

/// The last guard: a panic in spite of every check ends the import, not the program. Code of other crates that is known
/// to panic is guarded where it is called, so that the rest of the file is still shown.
fn isolated(work: impl FnOnce() -> Result<Import, ImportError>) -> Result<Import, ImportError> {
    error::guarded(work).unwrap_or(Err(ImportError::Internal))
}

fn import(
    bytes: Bytes,
    name: &str,
    options: &Options,
    resolver: &Resolver,
    progress: &Progress,
    shown: Option<OnModel>,
) -> Result<Import, ImportError> {
    let limits = &options.limits;
    let warnings = Warnings::default();
    resolver.budget.charge(&|| name.to_owned(), bytes.len(), 1)?;
    progress.step(0.05, "Parsing JSON")?;
    let parts = container::split(bytes, limits, &warnings)?;
    let text = container::text(&parts.json, &warnings)?;
    let container::Parsed { root, channels, plain } = container::parse(text, limits, &warnings)?;
    let text = plain.as_deref().unwrap_or(text);
    check_asset(&root)?;
    unknown::check(&root, text)?;
    let unknown = unknown::accessors(&root, text);
    extensions::check(&root, &warnings)?;
    let pointers = pointers::list(text, &root);
    let far = far::placing(&root, text);
    let named_meshes = parting::named_meshes(text, &root);
    drop(parts.json);
    let owners = buffers::open(&root, parts.bin, resolver, &warnings)?;
    let mut origins = Origins { json: parts.json_range, ..Origins::default() };
    origins.buffers = origins::buffers(&root, &parts.bin_range, &owners, resolver);
    let buffers = buffers::cut(&root, parts.bin, &owners)?;
    let decoded = Budget::of_decoded(limits, resolver.budget.used());
    let limits = &limits.of_files(resolver.budget.used());
    charge_lists(&root, &decoded)?;
    let files = resolver.named(&root);
    let (views, view_origins) = views::read(&root, &buffers, &decoded, &warnings, progress)?;
    let store = Store::new((&root, &unknown), &views, limits, &decoded, &warnings)?;
    (origins.views, origins.accessors) = (view_origins, store.origins());
    let reader = Reader {
        root: &root,
        named_meshes: &named_meshes,
        files: &files,
        pointers: &pointers,
        channels: &channels,
        far: far.as_ref(),
        store: &store,
        limits,
        decoded: &decoded,
        warnings: &warnings,
        progress: *progress,
    };
    let coming = PendingImages::plan(&reader, resolver, options)?;
    let model = read_beside(&reader, name, origins, &coming, shown)?;
    coming.finish(&warnings);
    (progress.report)(1.0, "Done");
    Ok(Import { model, warnings: warnings.into_list() })
}

/// Reads the model while other threads decode its images, and then helps them.
fn read_beside(
    reader: &Reader,
    name: &str,
    origins: Origins,
    coming: &PendingImages,
    shown: Option<OnModel>,
) -> Result<Arc<Model>, ImportError> {
    std::thread::scope(|scope| {
        for _ in 0..coming.helpers() {
            scope.spawn(|| coming.work());
        }
        let read = read_model(reader, name, origins, coming).and_then(|model| {
            reader.progress.step(images::GEOMETRY_DONE, "Reading images")?;
            Ok(Arc::new(model))
        });
        let Ok(model) = &read else {
            coming.give_up();
            return read;
        };
        let is_shown = shown.is_some();
        if let Some(shown) = shown {
            shown(Arc::clone(model), reader.warnings.so_far());
        }
        coming.announce();
        coming.work();
        if reader.progress.is_cancelled() && !is_shown { Err(ImportError::Cancelled) } else { read }
    })
}

/// Reads the model; `origins` already has the locations of buffers, views and accessors.
fn read_model(reader: &Reader, name: &str, mut origins: Origins, coming: &PendingImages) -> Result<Model, ImportError> {
    reader.progress.step(0.08, "Reading nodes")?;
    let nodes = nodes::read(reader)?;
    let skins = skins::read(reader, &nodes)?;
    let mut materials = materials::read(reader)?;
    let variants = variants::names(reader);
    let (mut meshes, of_primitives) = meshes::read(reader, &materials, variants.len())?;
    for (m, mesh) in meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let drawn = (primitive, &mesh.primitives[mesh.holder(p)]);
            materials::note_missing_uvs(reader, &format!("mesh {m}, primitive {p}"), drawn, &materials);
        }
    }
    let mut instances = meshes::instances(reader, &nodes, &meshes)?;
    let parted = parting::part(reader, &skins, &mut meshes, &mut instances);
    meshes::check_joints(reader, &skins, &instances, (&mut meshes, &parted))?;
    reader.progress.step(0.6, "Reading clips")?;
    let carried = lights::read(reader, &nodes);
    let world = &mut World { nodes: &nodes, carried: &carried, materials: &mut materials };
    let (clips, of_clips) = clips::read(reader, world, &instances)?;
    let textures = materials::textures(reader, coming.by_texture())?;
    reader.progress.step(0.68, "Checking")?;
    let morph_weights = instances.iter().flat_map(|i| i.morph_weights.iter().copied()).collect();
    let humanoid = humanoid::read(reader, &nodes);
    let limits = joint_limits::read(reader, &nodes, &humanoid);
    let expressions = expressions::read(reader, &nodes, &instances);
    let expression_nodes = expressions::of_nodes(reader, &nodes);
    let lights::LightsAndCameras { lights, light_nodes, cameras, camera_nodes, .. } = carried;
    let hidden = visibility::read(reader, &nodes);
    let links = links::read(reader, &nodes);
    let mut instanced_skins = copies::of_skins(reader, &nodes);
    // A skin that moves nothing is missed by nobody.
    instanced_skins.retain(|node| instances.iter().any(|i| i.node == *node && i.skin.is_some()));
    (origins.primitives, origins.clips) = (of_primitives, of_clips);
    (origins.skins, origins.nodes) = (origins::skins(reader), origins::nodes(reader, &nodes));
    let nodes::Nodes { skeleton, scenes, default_scene, .. } = nodes;
    let rest = LocalPose { morph_weights, ..skeleton.rest };
    let mut parts = ModelParts {
        source: source_info(reader, name, origins),
        skeleton: Skeleton { rest, ..skeleton },
        scenes,
        default_scene,
        humanoid,
        expressions,
        expression_nodes,
        facing: humanoid::facing(reader),
        limits,
        lights,
        light_nodes,
        cameras,
        camera_nodes,
        hidden,
        instanced_skins,
        skins,
        links,
        retargeted: Vec::new(),
        meshes,
        parted,
        instances,
        clips,
        materials,
        variants,
        textures,
        images: coming.images(),
    };
    far::bring_meshes_near(reader.far, &mut parts);
    if let Some(far) = reader.far {
        far::bring_near(far, &mut parts, reader.warnings);
        // Places that were shifted say nothing about where a link stands beside its joint.
        parts.links.clear();
    }
    far::warn_of_coarse_positions(&parts, reader.warnings);
    Model::build(parts).map_err(|e| ImportError::invalid(e.location, "a consistent model", e.what))
}

fn source_info(reader: &Reader, name: &str, origins: Origins) -> SourceInfo {
    let root = reader.root;
    let kept = kept_layers::texts_of(root);
    SourceInfo {
        name: name.to_owned(),
        version: root.asset.version.clone(),
        generator: root.asset.generator.clone(),
        copyright: root.asset.copyright.clone(),
        extensions_used: root.extensions_used.clone(),
        extensions_required: root.extensions_required.clone(),
        files: reader.files.to_vec(),
        kept_layers: kept.layers,
        kept_shapes: kept.shapes,
        origins: Arc::new(origins),
    }
}

/// Charges the memory of the document's own lists, in the JSON and in the model: an empty object is two bytes of the
/// file and may become two thousand.
fn charge_lists(root: &json::Root, decoded: &Budget) -> Result<(), ImportError> {
    let primitives = root.meshes.iter().map(|m| m.primitives.len()).sum();
    let lists = [
        ("nodes", root.nodes.len(), size_of::<json::Node>() + size_of::<NodeMembers>() + 256),
        ("materials", root.materials.len(), size_of::<json::Material>() + size_of::<skinscope_model::Material>() + 64),
        ("meshes", root.meshes.len(), size_of::<json::Mesh>() + size_of::<skinscope_model::Mesh>()),
        ("primitives", primitives, size_of::<json::mesh::Primitive>() + size_of::<skinscope_model::Primitive>() + 128),
        ("buffer views", root.buffer_views.len(), size_of::<json::buffer::View>() + size_of::<ViewOrigin>() + 64),
        ("accessors", root.accessors.len(), size_of::<json::Accessor>() + size_of::<AccessorOrigin>() + 256),
        ("images", root.images.len(), size_of::<json::Image>() + 256),
    ];
    lists.into_iter().try_for_each(|(what, count, size)| decoded.charge(&|| what.to_owned(), count as u64, size))
}

/// Checks that the file is glTF 2.x and does not ask for more than 2.0.
fn check_asset(root: &json::Root) -> Result<(), ImportError> {
    let numbers = |version: &str| {
        let (major, minor) = version.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    let version = &root.asset.version;
    if numbers(version).is_some_and(|(major, _)| major < 2) {
        return Err(foreign::old(version));
    }
    if numbers(version).is_none_or(|(major, _)| major != 2) {
        return Err(
            ImportError::invalid("asset.version", "2.0", quoted(version)).advise("export the model as glTF 2.0")
        );
    }
    if let Some(least) = &root.asset.min_version
        && numbers(least) != Some((2, 0))
    {
        return Err(ImportError::invalid("asset.minVersion", "2.0 at most", quoted(least))
            .advise("export the model as glTF 2.0"));
    }
    Ok(())
}
