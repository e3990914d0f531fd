//! Compressed views against streams of another encoder, decoded by another decoder (`tests/fixtures/README.md`).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::super::buffers;
use super::super::bytes::Bytes;
use super::super::uri::Resolver;
use super::*;

#[derive(Deserialize)]
struct Sample {
    name: String,
    mode: String,
    filter: String,
    stride: usize,
    count: usize,
    stream: String,
    decoded: String,
}

impl Sample {
    fn all() -> Vec<Self> {
        serde_json::from_str(include_str!("../../../../tests/fixtures/meshopt_streams.json")).unwrap()
    }

    fn named(name: &str) -> Self {
        Self::all().into_iter().find(|s| s.name == name).unwrap()
    }

    fn stream(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.stream).unwrap()
    }

    fn decoded(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.decoded).unwrap()
    }

    /// Returns the bytes of a number that the filter makes.
    fn width(&self) -> usize {
        match (self.filter.as_str(), self.stride) {
            ("OCTAHEDRAL" | "COLOR", 4) | ("NONE", _) => 1,
            ("EXPONENTIAL", _) => 4,
            _ => 2,
        }
    }

    /// Returns by how many steps two right decoders may differ: these filters round the result of a division or a root.
    fn rounding(&self) -> u64 {
        u64::from(matches!(self.filter.as_str(), "OCTAHEDRAL" | "QUATERNION" | "COLOR"))
    }

    /// Returns the numbers in the decoded bytes, without their signs.
    fn components(&self, bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> {
        let number = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
        bytes.chunks(self.width()).map(number).collect::<Vec<_>>().into_iter()
    }

    /// Makes a file with this stream as its only view: buffer 0 is the GLB's own, buffer 1 holds nothing.
    fn doc(&self, extension: &str) -> Doc {
        let mut doc = Doc::new();
        doc.bin = vec![0xEE; 12];
        doc.bin.extend(self.stream());
        let described = json!({
            "buffer": 0, "byteOffset": 12, "byteLength": doc.bin.len() - 12, "mode": self.mode, "filter": self.filter,
            "byteStride": self.stride, "count": self.count,
        });
        doc.root["bufferViews"] = json!([{
            "buffer": 1, "byteLength": self.stride * self.count, "extensions": { extension: described },
        }]);
        doc.root["buffers"] = json!([{ "byteLength": doc.bin.len() }, {
            "byteLength": self.stride * self.count, "extensions": { extension: { "fallback": true } },
        }]);
        doc.root["extensionsRequired"] = json!([extension]);
        doc.root["extensionsUsed"] = json!([extension]);
        doc
    }

    fn with(&self, member: &str, value: Value) -> Doc {
        let mut doc = self.doc(KHR);
        doc.root["bufferViews"][0]["extensions"][KHR][member] = value;
        doc
    }
}

const KHR: &str = "KHR_meshopt_compression";
const EXT: &str = "EXT_meshopt_compression";

/// Returns the decoded bytes of the file's only view, and the warnings.
fn unpacked(doc: &Doc) -> Result<(Vec<u8>, Vec<String>), ImportError> {
    let root = serde_json::from_value(doc.root.clone()).unwrap();
    let warnings = Warnings::default();
    let bin = Some(Bytes::Memory(&doc.bin));
    let owners =
        buffers::open(&root, bin, &Resolver::new(None, false, &Budget::new("bytes", 0)), &Warnings::default())?;
    let buffers = buffers::cut(&root, bin, &owners)?;
    let (views, _) = views::read(&root, &buffers, &Budget::new("bytes", 1 << 20), &warnings, &Progress::silent())?;
    Ok((views[0].bytes().read()?.into_owned(), warnings.into_list().iter().map(ToString::to_string).collect()))
}

#[test]
fn meshopt_streams_of_every_mode_and_filter_decode_as_the_reference_decoder_says() {
    let samples = Sample::all();
    assert_eq!(samples.len(), 32);
    for sample in &samples {
        let (bytes, warnings) = unpacked(&sample.doc(KHR)).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        let want = sample.decoded();
        assert_eq!(bytes.len(), want.len(), "{}", sample.name);
        let steps = sample.components(&bytes).zip(sample.components(&want)).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        assert!(steps <= sample.rounding(), "{}: {steps} steps off", sample.name);
        assert!(warnings.is_empty(), "{}: {warnings:?}", sample.name);
    }
}

#[test]
fn a_view_with_the_older_extension_reads_alike() {
    for (name, odd) in
        [("octahedral 8 v0", false), ("triangles 2", false), ("quaternion v1", true), ("color 8 v0", true)]
    {
        let sample = Sample::named(name);
        let (bytes, warnings) = unpacked(&sample.doc(EXT)).unwrap();
        assert_eq!(bytes, unpacked(&sample.doc(KHR)).unwrap().0, "{name}");
        let said = warnings.iter().any(|w| w.contains("only KHR_meshopt_compression allows"));
        assert_eq!((said, warnings.len()), (odd, usize::from(odd)), "{name}: {warnings:?}");
    }
}

#[test]
fn a_compressed_view_that_breaks_a_rule_is_named_with_its_mode() {
    let cases = [
        ("attributes v0 stride 12", "byteStride", json!(10), "a multiple of 4 up to 256"),
        ("attributes v0 stride 12", "byteStride", json!(260), "a multiple of 4 up to 256"),
        ("attributes v0 stride 12", "byteStride", json!(0), "a multiple of 4 up to 256"),
        ("attributes v0 stride 12", "byteStride", json!(16), "expected a stream of 21 elements of 16 bytes"),
        ("attributes v0 stride 12", "mode", json!("TRIANGLES"), "a byteStride of 2 or 4"),
        ("attributes v0 stride 4", "mode", json!("TRIANGLES"), "a header byte of a known version, found 0xa0"),
        ("attributes v0 stride 12", "mode", json!("LINES\n"), r#"found "LINES\n""#),
        ("attributes v0 stride 12", "mode", json!(3), "a mode out of ATTRIBUTES, TRIANGLES, INDICES"),
        ("attributes v0 stride 12", "filter", json!("OCTAHEDRAL"), "a byteStride of 4 or 8"),
        ("octahedral 8 v0", "filter", json!("QUATERNION"), "a byteStride of 8"),
        ("triangles 4", "filter", json!("EXPONENTIAL"), "no filter with compressed indices"),
        ("triangles 2", "count", json!(295), "a count divisible by 3"),
        ("attributes v0 stride 12", "count", json!(-1), "a whole number for count"),
        ("attributes v0 stride 12", "count", json!(150), "expected a stream of 150 elements"),
        ("attributes v0 stride 12", "byteLength", json!(1_000_000), "its bytes inside the"),
        ("attributes v0 stride 12", "byteOffset", json!(u64::MAX), "its bytes inside the"),
        ("attributes v0 stride 12", "buffer", json!(7), "a buffer below 2, found buffer 7"),
        ("attributes v0 stride 12", "buffer", json!(1), "buffer 1"),
    ];
    for (name, member, value, expected) in cases {
        let error = unpacked(&Sample::named(name).with(member, value.clone())).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{name}, {member} {value}: {error}");
        assert!(error.contains("buffer"), "{name}, {member} {value}: {error}");
    }
    let error = unpacked(&Sample::named("triangles 2").with("byteLength", json!(60))).unwrap_err().to_string();
    assert!(
        error.starts_with("buffer view 0, KHR_meshopt_compression Triangles: expected at least 115 bytes"),
        "{error}"
    );
    assert!(error.ends_with("export the model again, or without meshopt compression"), "{error}");
}

#[test]
fn streams_cannot_claim_more_than_they_can_hold() {
    // Appendix A says the fewest bytes that an element takes. Nothing is allocated for more elements, whatever the
    // budget.
    for (name, most) in [
        ("attributes v0 stride 4", 64 * 16),
        ("attributes v1 stride 4", 256 * 4),
        ("attributes v0 stride 256", 64),
        ("attributes v1 stride 256", 128),
        ("triangles 4", 12),
        ("indices 4", 4),
    ] {
        let sample = Sample::named(name);
        let claim = (sample.stream().len() * most / sample.stride).next_multiple_of(3) as u64;
        for count in [claim, u64::from(u32::MAX) * 3, (1 << 60) * 3 / 256, u64::MAX / 4 / 3 * 3] {
            let error = unpacked(&sample.with("count", json!(count))).unwrap_err().to_string();
            assert!(error.contains("expected at least"), "{name}, {count}: {error}");
        }
    }
    // The memory of a stream is charged before it is decoded.
    let budget = Budget::new("bytes", 100);
    let doc = Sample::named("attributes v0 stride 4").doc(KHR);
    let buffers = [Bytes::Memory(&doc.bin), Bytes::Memory(&[])];
    let root = serde_json::from_value(doc.root.clone()).unwrap();
    let error = views::read(&root, &buffers, &budget, &Warnings::default(), &Progress::silent()).unwrap_err();
    assert!(matches!(error, ImportError::Limit { found: 1200, limit: 100, .. }), "{error}");
}

#[test]
fn only_buffers_that_nothing_reads_may_be_without_bytes() {
    let sample = Sample::named("attributes v0 stride 12");
    let want = sample.decoded();
    // The buffer has no mark of the extension: a view that is compressed is enough.
    let mut doc = sample.doc(KHR);
    doc.root["buffers"][1] = json!({ "byteLength": 252 });
    assert_eq!(unpacked(&doc).unwrap().0, want);
    // The buffer is marked and names a file that is not there: it is not read.
    let mut doc = sample.doc(KHR);
    doc.root["buffers"][1]["uri"] = json!("nowhere.bin");
    assert_eq!(unpacked(&doc).unwrap().0, want);
    // The buffer is not marked, and a plain view stands in it, which nothing reads.
    doc.root["buffers"][1] = json!({ "byteLength": 252 });
    doc.root["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 1, "byteLength": 12 }));
    assert_eq!(unpacked(&doc).unwrap().0, want);
    // A length that is not that of the elements causes a warning; the number of elements is used.
    let mut doc = sample.doc(KHR);
    doc.root["bufferViews"][0]["byteLength"] = json!(240);
    let (bytes, warnings) = unpacked(&doc).unwrap();
    assert_eq!((bytes, warnings.len()), (want, 1), "{warnings:?}");
}
