//! Images: found, measured before they are decoded, and decoded on all cores.

use std::borrow::Cow;
use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};

use gltf::json;
use image::{ImageFormat, ImageReader};

use super::error::guarded;
use super::materials::texture_source;
use super::uri::Resolver;
use super::{ImportError, Reader, parallel, png};
use crate::model::{Image, ImageId};

/// Decoded images, and for each of the file's images its id, if it could be read.
pub(super) type Images = (Vec<Image>, Vec<Option<ImageId>>);

/// Decodes all images that textures use. One that cannot be read is a warning: the model is shown without it.
pub(super) fn read(reader: &Reader, resolver: &Resolver) -> Result<Images, ImportError> {
    let root = reader.root;
    let mut used = vec![false; root.images.len()];
    for texture in &root.textures {
        if let Some(slot) = texture_source(texture).and_then(|s| used.get_mut(s)) {
            *slot = true;
        }
    }
    let mut work = Vec::new();
    for (i, image) in root.images.iter().enumerate().filter(|(i, _)| used[*i]) {
        let place = || format!("image {i}");
        if let Some(view) = image.buffer_view {
            work.push((i, reader.store.view(view, &place)?.read()?));
            continue;
        }
        match image.uri.as_deref().map(|uri| resolver.read(uri, &place)) {
            Some(Ok(bytes)) => work.push((i, Cow::Owned(bytes))),
            Some(Err(error @ ImportError::Limit { .. })) => return Err(error),
            Some(Err(error)) => reader.warnings.add(place(), format!("was left out ({error})")),
            None => reader.warnings.add(place(), "has neither a buffer view nor a URI and was left out"),
        }
    }
    let decoded = decode_all(reader, &work)?;
    let mut images = Vec::new();
    let mut ids = vec![None; root.images.len()];
    for ((i, _), result) in work.iter().zip(decoded) {
        match result {
            Ok(mut image) => {
                image.name = name(&root.images[*i]);
                ids[*i] = Some(ImageId::from_index(images.len()));
                images.push(image);
            }
            Err(problem) => reader.warnings.add(format!("image {i}"), format!("was left out ({problem})")),
        }
    }
    Ok((images, ids))
}

fn name(image: &json::Image) -> String {
    let file = image.uri.as_deref().filter(|u| !u.starts_with("data:"));
    image.name.clone().or(file.map(str::to_owned)).unwrap_or_default()
}

/// In the order of `work`.
fn decode_all(reader: &Reader, work: &[(usize, Cow<[u8]>)]) -> Result<Vec<Result<Image, String>>, ImportError> {
    let done = AtomicUsize::new(0);
    parallel::map(work.len(), &reader.progress, &|turn| {
        let (index, bytes) = &work[turn];
        let result = guarded(|| decode(reader, *index, bytes)).unwrap_or_else(|| Err("the decoder failed".to_owned()));
        let fraction = (done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / work.len() as f32;
        (reader.progress.report)(0.7 + 0.25 * fraction, "Decoding images");
        result
    })
}

fn decode(reader: &Reader, index: usize, bytes: &[u8]) -> Result<Image, String> {
    let format = image::guess_format(bytes).map_err(|_| "it is neither PNG nor JPEG".to_owned())?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err("it is neither PNG nor JPEG".to_owned());
    }
    let open = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = open().into_dimensions().map_err(|e| e.to_string())?;
    let limits = reader.limits;
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(format!("it has {width} × {height} pixels"));
    }
    if width > limits.image_side || height > limits.image_side || pixels > limits.image_pixels {
        let (side, most) = (limits.image_side, limits.image_pixels);
        return Err(format!("its {width} × {height} pixels are more than {side} a side or {most} in all"));
    }
    // Twice: the decoder's own form may be as large as the result.
    reader.decoded.charge(&|| format!("image {index}"), pixels, 8).map_err(|e| e.to_string())?;
    if format == ImageFormat::Png {
        let rgba = png::decode(Cursor::new(bytes), 16 << 20).map_err(|e| e.to_string())?;
        if let Some(rgba) = rgba {
            return Ok(Image { name: String::new(), width, height, rgba });
        }
    }
    let mut decoder = open();
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(pixels.saturating_mul(16).saturating_add(16 << 20));
    decoder.limits(bounds);
    let rgba = decoder.decode().map_err(|e| e.to_string())?.into_rgba8();
    Ok(Image { name: String::new(), width: rgba.width(), height: rgba.height(), rgba: rgba.into_raw() })
}
