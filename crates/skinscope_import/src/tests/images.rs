//! Images in every form that textures come in, against pixels that other programs made (`tests/fixtures/README.md`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use skinscope_model::{BlockFormats, PixelFormat, Pixels};

use super::super::{Limits, import_bytes, import_bytes_showing};
use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../tests/fixtures/textures/", $name)).as_slice()
    };
}

/// Basis Universal files, by the names in `expected.json`.
const KTX2: [(&str, &[u8]); 6] = [
    ("etc1s_mips", fixture!("etc1s_mips.ktx2")),
    ("etc1s_alpha", fixture!("etc1s_alpha.ktx2")),
    ("etc1s_odd", fixture!("etc1s_odd.ktx2")),
    ("uastc_mips", fixture!("uastc_mips.ktx2")),
    ("uastc_zstd", fixture!("uastc_zstd.ktx2")),
    ("uastc_odd", fixture!("uastc_odd.ktx2")),
];

const BC7: BlockFormats = BlockFormats { bc7: true, astc4x4: true, etc2: true };
const ASTC: BlockFormats = BlockFormats { bc7: false, astc4x4: true, etc2: true };
const ETC2: BlockFormats = BlockFormats { bc7: false, astc4x4: false, etc2: true };

/// A document whose texture 0 has image 0 through `extension` (or plainly), and as fallback the images after it.
fn textured(extension: &str, files: &[&[u8]]) -> Doc {
    let mut doc = Doc::new();
    let views: Vec<usize> = files.iter().map(|file| doc.view(file)).collect();
    doc.root["images"] = views.iter().map(|view| json!({ "bufferView": view })).collect();
    let mut texture = if extension.is_empty() {
        json!({ "source": 0 })
    } else {
        json!({ "extensions": { extension: { "source": 0 } } })
    };
    if files.len() > 1 {
        texture["source"] = json!(1);
    }
    doc.root["textures"] = json!([texture]);
    if !extension.is_empty() {
        doc.root["extensionsUsed"] = json!([extension]);
    }
    doc
}

fn open(doc: &Doc, formats: Option<BlockFormats>) -> Import {
    let block_formats = formats.map(|f| Arc::new(move || f) as super::super::AskFormats);
    let options = Options { block_formats, ..Options::default() };
    import_bytes(&doc.glb(), "test", &options, &Progress::silent()).unwrap()
}

/// Returns the pixels of the one image of a file without warnings.
fn decoded(extension: &str, file: &[u8], formats: Option<BlockFormats>) -> Pixels {
    let import = open(&textured(extension, &[file]), formats);
    assert_eq!(import.warnings, []);
    Pixels::clone(&import.model.images[0].pixels().unwrap())
}

/// Fowler, Noll and Vo's hash 1a of 64 bits, as in `expected.json`.
fn fnv(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3));
    format!("{hash:016x}")
}

fn picture(png: &[u8]) -> Vec<u8> {
    image::load_from_memory(png).unwrap().into_rgba8().into_raw()
}

/// Root mean square and largest difference of two pictures.
fn difference(a: &[u8], b: &[u8]) -> (f64, u8) {
    assert_eq!(a.len(), b.len());
    let each = || a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
    let mean = each().map(|d| f64::from(d).powi(2)).sum::<f64>() / a.len() as f64;
    (mean.sqrt(), each().max().unwrap())
}

#[test]
fn basis_universal_becomes_what_the_device_reads_to_the_byte() {
    let expected: Value = serde_json::from_slice(fixture!("expected.json")).unwrap();
    for (name, file) in KTX2 {
        let levels = expected[name]["levels"].as_array().unwrap();
        let side = |level: usize, which: &str| levels[level][which].as_u64().unwrap() as u32;
        for (formats, in_blocks, key) in [
            (None, PixelFormat::Rgba8, "rgba8"),
            (Some(BC7), PixelFormat::Bc7, "bc7"),
            (Some(ASTC), PixelFormat::Astc4x4, "astc"),
            (Some(ETC2), PixelFormat::Etc2Rgba8, "etc2"),
        ] {
            let pixels = decoded("KHR_texture_basisu", file, formats);
            assert_eq!((pixels.width(), pixels.height()), (side(0, "width"), side(0, "height")), "{name}");
            assert_eq!(pixels.levels().len(), levels.len(), "{name}");
            // Blocks are used only where the size is whole blocks and smaller levels are there.
            let whole = pixels.width().is_multiple_of(4) && pixels.height().is_multiple_of(4) && levels.len() > 1;
            let (format, key) = if whole { (in_blocks, key) } else { (PixelFormat::Rgba8, "rgba8") };
            assert_eq!(pixels.format(), format, "{name}");
            if key == "astc" && name.starts_with("etc1s") {
                // The other program's web build leaves out the better of two ways to write these blocks.
                continue;
            }
            for (level, bytes) in pixels.levels().iter().enumerate() {
                assert_eq!(levels[level][key], fnv(bytes), "{name}, level {level} as {key}");
            }
        }
    }
}

#[test]
fn basis_universal_looks_like_the_picture_it_was_made_of() {
    let (opaque, alpha) = (picture(fixture!("picture.png")), picture(fixture!("picture_alpha.png")));
    for (name, file, original, most) in [
        ("uastc_mips", KTX2[3].1, &opaque, 3.0),
        ("uastc_zstd", KTX2[4].1, &alpha, 8.0),
        ("etc1s_mips", KTX2[0].1, &opaque, 12.0),
    ] {
        let pixels = decoded("KHR_texture_basisu", file, None);
        let (mean, worst) = difference(&pixels.levels()[0], original);
        assert!(mean < most, "{name}: {mean} in the mean, {worst} at most");
    }
}

#[test]
fn the_device_is_asked_only_for_basis_universal() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let ask = move || {
        count.fetch_add(1, Ordering::Relaxed);
        BC7
    };
    let options = Options { block_formats: Some(Arc::new(ask)), ..Options::default() };
    for (extension, file, times) in [("", fixture!("picture.png"), 0), ("KHR_texture_basisu", KTX2[0].1, 1)] {
        import_bytes(&textured(extension, &[file]).glb(), "x", &options, &Progress::silent()).unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), times);
    }
}

/// The text of the one warning about a file whose image is broken.
fn refused(file: &[u8]) -> String {
    let import = open(&textured("KHR_texture_basisu", &[file]), Some(BC7));
    assert!(import.model.images[0].pixels().is_none() && !import.model.images[0].is_pending());
    let [warning] = import.warnings.as_slice() else { panic!("{:?}", import.warnings) };
    warning.to_string()
}

/// `file` with `bytes` at `at`.
fn changed(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = file.to_vec();
    out[at..at + bytes.len()].copy_from_slice(bytes);
    out
}

#[test]
fn broken_ktx2_files_are_refused_before_they_are_followed() {
    let [etc1s, plain, zstd] = [KTX2[0].1, KTX2[3].1, KTX2[4].1];
    let at = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let long = |value: u64| value.to_le_bytes();
    for (file, says) in [
        (changed(plain, 12, &[37]), "not Basis Universal"),
        (changed(plain, 20, &[0; 4]), "0 × 48 pixels"),
        (changed(plain, 20, &[255; 4]), "more than 65536 a side"),
        (changed(plain, 28, &[2]), "a cube map, an array or a volume"),
        (changed(plain, 32, &[2]), "a cube map, an array or a volume"),
        (changed(plain, 36, &[6]), "a cube map, an array or a volume"),
        (changed(plain, 40, &[0]), "it has 0 levels"),
        (changed(plain, 40, &[8]), "it has 8 levels"),
        (changed(plain, 44, &[3]), "supercompression 3"),
        (changed(plain, 44, &[1]), "supercompression 1"),
        (changed(plain, 48, &[255; 4]), "its data format descriptor is broken"),
        (changed(etc1s, 64, &[255; 8]), "its codebooks lie outside the file"),
        (changed(etc1s, 72, &[255; 8]), "its codebooks lie outside the file"),
        (changed(plain, 80, &[255; 8]), "level 0 lies outside the file"),
        (changed(plain, 80 + 24, &long(at(plain, 80 + 24) + 4000)), "level 1 lies outside the file"),
        (changed(plain, 88, &long(at(plain, 88) - 16)), "level 0 has not the 3072 bytes"),
        (changed(zstd, 96, &long(u64::MAX)), "level 0 has not the 240 bytes"),
        (plain[..50].to_vec(), "it is cut off"),
        (plain[..plain.len() - 1].to_vec(), "level 0 lies outside the file"),
    ] {
        let said = refused(&file);
        assert!(said.starts_with("image 0: was left out (") && said.contains(says), "{said}, but wanted {says}");
    }
}

#[test]
fn a_zstandard_frame_cannot_ask_for_more_room_than_its_level() {
    let file = KTX2[4].1;
    let at = u64::from_le_bytes(file[80..88].try_into().unwrap()) as usize;
    assert_eq!(file[at..at + 4], [0x28, 0xB5, 0x2F, 0xFD]);
    // The window is two tebibytes, then one byte is repeated again and again: 128 KiB from four bytes each, with no
    // end.
    let mut bomb = file[..at].to_vec();
    bomb.extend([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8]);
    bomb.extend([0x02, 0x00, 0x10, 7].repeat(4096));
    let length = (bomb.len() - at) as u64;
    let bomb = changed(&bomb, 88, &length.to_le_bytes());
    let bomb = changed(&bomb, 40, &[1]);
    assert!(refused(&bomb).contains("level 0 has not the 240 bytes"), "{}", refused(&bomb));
}

#[test]
fn a_texture_falls_back_to_the_image_that_can_be_read() {
    let broken = &KTX2[3].1[..300];
    let import = open(&textured("KHR_texture_basisu", &[broken, fixture!("picture.png")]), None);
    let said: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("image 0: was left out (") && said[0].ends_with("; image 1 is taken instead"),
        "{said:?}"
    );
    assert_eq!(import.model.images[0].pixels().unwrap().levels(), [picture(fixture!("picture.png"))]);
    // The first image that can be read is taken, and the other is not read.
    let import = open(&textured("KHR_texture_basisu", &[KTX2[3].1, b"nothing"]), Some(BC7));
    assert_eq!((import.warnings.len(), import.model.images[0].pixels().unwrap().format()), (0, PixelFormat::Bc7));
}

#[test]
fn webp_comes_lossless_lossy_with_alpha_and_its_first_frame_where_it_moves() {
    for (file, decoded_by_libwebp) in [
        (fixture!("lossless.webp"), fixture!("picture.png")),
        (fixture!("lossless_alpha.webp"), fixture!("picture_alpha.png")),
        (fixture!("animated.webp"), fixture!("picture.png")),
        (fixture!("lossy.webp"), fixture!("lossy_decoded.png")),
        (fixture!("lossy_alpha.webp"), fixture!("lossy_alpha_decoded.png")),
    ] {
        for extension in ["EXT_texture_webp", ""] {
            let pixels = decoded(extension, file, None);
            let (mean, worst) = difference(&pixels.levels()[0], &picture(decoded_by_libwebp));
            assert!(worst == 0, "{mean} in the mean, {worst} at most");
        }
    }
}

#[test]
fn a_webp_frame_larger_than_its_file_says_is_refused() {
    let file = fixture!("lossy_alpha.webp");
    let at = file.windows(4).position(|w| w == b"VP8 ").unwrap() + 8;
    assert_eq!(file[at + 6..at + 10], [20, 0, 12, 0], "width and height of the frame");
    let import = open(&textured("EXT_texture_webp", &[&changed(file, at + 6, &[0xFF, 0x3F, 0xFF, 0x3F])]), None);
    let said = import.warnings[0].to_string();
    assert!(said.contains("it holds more than its 20 × 12 pixels"), "{said}");
}

#[test]
fn every_kind_of_png_and_jpeg_reads_as_eight_bits_of_rgba() {
    let original = picture(fixture!("picture.png"));
    let grey =
        |c: &[u8]| (0.2126 * f64::from(c[0]) + 0.7152 * f64::from(c[1]) + 0.0722 * f64::from(c[2])).round() as u8;
    let greys: Vec<u8> = original.chunks(4).flat_map(|c| [grey(c), grey(c), grey(c), 255]).collect();
    for (what, file, original, most) in [
        ("16 bits", fixture!("deep.png"), &original, 0),
        ("interlaced", fixture!("interlaced.png"), &original, 0),
        ("a palette", fixture!("palette.png"), &original, 24),
        ("grey", fixture!("grey.png"), &greys, 12),
        ("grey JPEG", fixture!("grey.jpg"), &greys, 24),
        ("progressive JPEG", fixture!("progressive.jpg"), &original, 60),
        ("CMYK JPEG", fixture!("cmyk.jpg"), &original, 60),
        ("a turned JPEG, which glTF does not turn", fixture!("turned.jpg"), &original, 60),
    ] {
        let pixels = decoded("", file, None);
        assert_eq!((pixels.width(), pixels.height()), (64, 48), "{what}");
        let (mean, worst) = difference(&pixels.levels()[0], original);
        assert!(
            worst <= most && mean <= f64::from(most) / 4.0,
            "{what}: {mean} in the mean, {worst} at most, not {most}"
        );
    }
}

#[test]
fn the_model_is_shown_before_its_images_are_there() {
    // The image waits for the device, and the device for the model to be shown.
    let (send, receive) = std::sync::mpsc::channel();
    let receive = std::sync::Mutex::new(receive);
    let ask = move || {
        receive.lock().unwrap().recv().unwrap();
        BC7
    };
    let options = Options { block_formats: Some(Arc::new(ask)), ..Options::default() };
    let glb = textured("KHR_texture_basisu", &[KTX2[3].1]).glb();
    let mut shown = 0;
    let import = import_bytes_showing(&glb, "x", &options, &Progress::silent(), &mut |model, warnings| {
        shown += 1;
        assert!(model.images[0].is_pending() && warnings.is_empty());
        send.send(()).unwrap();
    });
    assert_eq!(shown, 1);
    assert!(import.unwrap().model.images[0].pixels().is_some());
}

#[test]
fn stopping_once_the_model_is_shown_leaves_the_other_images_out() {
    // Every image waits until loading is stopped, and there are more than threads to wait.
    let cancel = Arc::new(AtomicBool::new(false));
    let waiting = Arc::clone(&cancel);
    let ask = move || {
        while !waiting.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        BC7
    };
    let options = Options { block_formats: Some(Arc::new(ask)), ..Options::default() };
    let progress = Progress { report: &|_, _| {}, cancel: &cancel };
    let count = std::thread::available_parallelism().map_or(1, usize::from) + 2;
    let mut doc = textured("KHR_texture_basisu", &vec![KTX2[3].1; count]);
    let texture = |i: usize| json!({ "extensions": { "KHR_texture_basisu": { "source": i } } });
    doc.root["textures"] = (0..count).map(texture).collect();
    let shown = &mut |_, _| cancel.store(true, Ordering::Relaxed);
    let import = import_bytes_showing(&doc.glb(), "x", &options, &progress, shown).unwrap();
    assert!(import.model.images.iter().all(|i| !i.is_pending()));
    let missing = import.model.images.iter().filter(|i| i.pixels().is_none()).count();
    assert!((3..=count).contains(&missing), "{missing} of {count}");
    let said: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(said, [format!("images: {missing} of {count} were left out, because loading was stopped")]);
    // Without `shown` a cancelled import gives no model at all.
    let error = import_bytes(&doc.glb(), "x", &options, &progress);
    assert!(matches!(error, Err(ImportError::Cancelled)));
}

#[test]
fn mutants_of_images_never_do_harm() {
    let files = KTX2.map(|(_, file)| file).into_iter().chain([fixture!("lossy_alpha.webp"), fixture!("animated.webp")]);
    let limits = Limits { decoded_bytes: 64 << 20, ..Limits::default() };
    let options = Options { limits, block_formats: Some(Arc::new(|| BC7)), ..Options::default() };
    for (which, file) in files.enumerate() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64 ^ which as u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..150 {
            let mut mutant = file.to_vec();
            for _ in 0..=random(4) {
                // Half of the changes are made among the headers.
                let end = if random(2) == 0 { mutant.len().min(300) } else { mutant.len() };
                let at = random(end);
                mutant[at] = [0, 1, 0x7F, 0x80, 0xFF, random(256) as u8][random(6)];
            }
            if random(8) == 0 {
                mutant.truncate(random(mutant.len()));
            }
            let glb = textured("KHR_texture_basisu", &[&mutant]).glb();
            let import = import_bytes(&glb, "mutant", &options, &Progress::silent()).unwrap();
            assert!(!import.model.images[0].is_pending());
            let said: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
            assert_eq!(said.is_empty(), import.model.images[0].pixels().is_some(), "{said:?}");
            // A fault at which a decoder would panic is found before.
            assert!(!said.concat().contains("the decoder failed"), "file {which}: {said:?}");
        }
    }
}
