//! Runs `skinscope fix` on documents in every layout, and compares what it writes with what a reference says.

use serde_json::json;

use crate::fix::made::{Doc, F32, LAYOUTS, Layout, Pairs, U8, U16, VERTICES, pairs};
use crate::fix::reader::{File, differences};
use crate::fix::reference::{self, Vertex};
use crate::fix::{contents, folder, report};

/// The documents that a test looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    /// Those of [`FEW`], each in one container.
    Few,
    /// Every component type, one and two sets, clean and not, in every layout; each in every container.
    All,
}

/// Component type, number of sets, whether it is unclean, and layout of some documents: every one of each.
const FEW: [(u32, usize, bool, Layout); 16] = [
    (U8, 1, false, Layout::Plain),
    (U16, 2, false, Layout::Interleaved),
    (F32, 1, false, Layout::Shared),
    (U8, 2, false, Layout::Twice),
    (U16, 1, false, Layout::Sparse),
    (F32, 2, false, Layout::Foreign),
    (U8, 1, false, Layout::WideJoints),
    (U16, 2, false, Layout::SparseAlone),
    (F32, 1, false, Layout::OneView),
    (U8, 2, false, Layout::Gaps),
    (F32, 1, true, Layout::Sparse),
    (F32, 2, true, Layout::OneView),
    (U8, 1, true, Layout::Interleaved),
    (U8, 2, true, Layout::Shared),
    (U16, 1, true, Layout::Gaps),
    (U16, 2, true, Layout::Foreign),
];

/// A document.
#[derive(Clone)]
pub struct Case {
    /// The documents that it is one of.
    pub documents: Documents,
    /// What it has: no other of them has this name.
    pub name: String,
    /// The weights that it stores.
    pub before: Pairs,
    pub layout: Layout,
    pub doc: Doc,
    /// Whether some weights are none.
    pub is_unclean: bool,
}

impl Documents {
    /// All of them.
    pub fn cases(self) -> Vec<Case> {
        let mut out = Vec::new();
        for (c, component) in [U8, U16, F32].into_iter().enumerate() {
            for sets in [1, 2] {
                for is_unclean in [false, true] {
                    let seed = (c * 4 + sets * 2) as u64 + u64::from(is_unclean);
                    let before = pairs(component, sets, is_unclean, seed);
                    for layout in LAYOUTS {
                        if self == Self::Few && !FEW.contains(&(component, sets, is_unclean, layout)) {
                            continue;
                        }
                        let name = format!("{component}-{sets}-{is_unclean}-{layout:?}");
                        out.push(Case { is_unclean, ..Case::new(self, name, &before, layout) });
                    }
                }
            }
        }
        assert_eq!(out.len(), if self == Self::Few { FEW.len() } else { 120 });
        out
    }

    /// Those whose weights are all right.
    pub fn clean(self) -> Vec<Case> {
        let out: Vec<Case> = self.cases().into_iter().filter(|case| !case.is_unclean).collect();
        assert_eq!(out.len(), if self == Self::Few { 10 } else { 60 });
        out
    }
}

impl Case {
    /// A clean document with these weights.
    pub fn new(documents: Documents, name: String, before: &Pairs, layout: Layout) -> Self {
        Self { documents, name, before: before.clone(), layout, doc: Doc::new(before, layout), is_unclean: false }
    }

    /// The folder of an operation on this document.
    fn place(&self, operation: &str) -> String {
        format!("{:?} operations/{operation}/{}", self.documents, self.name)
    }

    /// An empty folder for an operation on this document.
    pub fn folder(&self, operation: &str) -> std::path::PathBuf {
        folder(&self.place(operation))
    }

    /// The files that an operation is tried on, and the names of what it makes of them: all three, or one of them, so that each operation
    /// and each layout has had all three in the end.
    fn containers(&self, operation: &str) -> Vec<(&'static str, &'static str)> {
        let all = [("a.glb", "out.glb"), ("b.gltf", "out b.gltf"), ("c.gltf", "out c.gltf")];
        match self.documents {
            Documents::All => all.to_vec(),
            Documents::Few => vec![all[self.place(operation).bytes().map(usize::from).sum::<usize>() % all.len()]],
        }
    }
}

/// What a run must give: exact pairs, or dense weights that stand in any pairs.
pub enum Expected {
    Pairs(Pairs),
    /// None where rounding decides which of two nearly equal joints is cut.
    Dense(Vec<Option<Vec<f64>>>),
    /// The same within this distance, where places in space decide.
    Near(Vec<Option<Vec<f64>>>, f64),
}

/// Runs `skinscope fix` on a document in its containers, compares, and returns what was written.
pub fn compare(operation: &str, case: &Case, arguments: &[&str], expected: &Expected) -> Vec<File> {
    let Case { doc, before, layout, .. } = case;
    let folder = case.folder(operation);
    std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    std::fs::write(folder.join("b.gltf"), doc.data_uri()).unwrap();
    std::fs::write(folder.join("skin \u{fc}.bin"), &doc.bin).unwrap();
    std::fs::write(folder.join("c.gltf"), doc.external("skin%20%C3%BC.bin")).unwrap();
    let inputs = contents(&folder);
    let mut written = Vec::new();
    for (model, out) in case.containers(operation) {
        let what = format!("{operation}/{} {arguments:?} {layout:?} {model}", case.name);
        let told = report(&folder, &[&[model, "-o", out], arguments].concat());
        let (old, new) = (File::open(&folder.join(model)), File::open(&folder.join(out)));
        for (mesh, primitive) in old.skinned() {
            let pairs = new.pairs(mesh, primitive).unwrap();
            match expected {
                Expected::Pairs(expected) => same(&what, &pairs, expected, before),
                Expected::Dense(expected) => same_dense(&what, &pairs, expected),
                Expected::Near(expected, off) => near_dense(&what, &pairs, expected, *off),
            }
        }
        only_weights_differ(&what, &old, &new);
        counted(&what, &old, &new, &told);
        // All else in the folder is as it was.
        let now = contents(&folder);
        assert!(inputs.iter().all(|file| now.contains(file)), "{what}: an input changed");
        written.push(new);
    }
    written
}

/// Pairs are those of the reference: integers and joints exactly, floats to the last bit of a 32-bit float; those that the
/// reference did not touch to the bit.
fn same(what: &str, pairs: &Pairs, expected: &Pairs, before: &Pairs) {
    assert_eq!((pairs.slots, pairs.component), (expected.slots, expected.component), "{what}");
    for at in 0..pairs.joints.len() {
        let place = format!("{what}: vertex {}, slot {}", at / pairs.slots, at % pairs.slots);
        assert_eq!(pairs.joints[at], expected.joints[at], "{place}");
        let (a, b) = (pairs.numbers[at], expected.numbers[at]);
        if before.component == pairs.component && before.numbers[at].to_bits() == b.to_bits() {
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{place}: {a}, not {b} as it was");
        }
        let tolerance = if pairs.component == F32 { 6e-8 } else { 0.0 };
        assert!(a == b || (a - b).abs() <= tolerance || a.is_nan() && b.is_nan(), "{place}: {a}, not {b}");
    }
}

pub fn same_dense(what: &str, pairs: &Pairs, expected: &[Option<Vec<f64>>]) {
    near_dense(what, pairs, expected, 2e-7);
}

/// Integers may differ by one, floats by `off`.
fn near_dense(what: &str, pairs: &Pairs, expected: &[Option<Vec<f64>>], off: f64) {
    let step = if pairs.component == F32 { off } else { off + 1.001 / pairs.one() };
    for (v, vertex) in reference::vertices(pairs).iter().enumerate() {
        let weights = reference::dense(vertex);
        for (joint, weight) in weights.iter().enumerate().filter(|_| expected[v].is_some()) {
            let wanted = expected[v].as_ref().unwrap()[joint];
            assert!((weight - wanted).abs() <= step, "{what}: vertex {v}, joint {joint}: {weight}, not {wanted}");
        }
        let numbers: f64 = pairs.numbers[v * pairs.slots..(v + 1) * pairs.slots].iter().sum();
        let off = if pairs.component == F32 { 2e-7 * pairs.slots as f64 } else { 0.0 };
        assert!((numbers - pairs.one()).abs() <= off, "{what}: vertex {v} sums to {numbers}");
    }
}

/// Of all accessors only those of joints and weights hold other numbers, and the JSON text differs where it must.
pub fn only_weights_differ(what: &str, old: &File, new: &File) {
    let named = |name: &str| name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
    for path in differences(&old.root, &new.root) {
        let steps: Vec<&str> = path.split('/').skip(1).collect();
        let fine = match steps[..] {
            ["accessors", ..] | ["bufferViews", ..] => true,
            ["buffers", _, "byteLength" | "uri"] => true,
            ["meshes", _, "primitives", _, "attributes", name] => named(name),
            _ => false,
        };
        assert!(fine, "{what}: {path} changed");
    }
    // Old views are as they were: new ones come after them.
    let views = |f: &File| f.root["bufferViews"].as_array().unwrap().clone();
    assert!(views(new).starts_with(&views(old)), "{what}: an old view changed");
    let mut others: Vec<usize> = (0..old.accessors()).collect();
    for (mesh, primitive) in old.skinned() {
        for (name, accessor) in old.root["meshes"][mesh]["primitives"][primitive]["attributes"].as_object().unwrap() {
            if named(name) {
                others.retain(|a| Some(*a as u64) != accessor.as_u64());
            }
        }
    }
    for (mesh, primitive) in old.skinned() {
        let color = old.attribute(mesh, primitive, "COLOR_0");
        others.extend(color);
        assert_eq!(color, new.attribute(mesh, primitive, "COLOR_0"), "{what}");
    }
    for accessor in others {
        assert_eq!(old.root["accessors"][accessor], new.root["accessors"][accessor], "{what}: accessor {accessor}");
        assert!(old.elements(accessor) == new.elements(accessor), "{what}: accessor {accessor} holds other bytes");
    }
    // Words that nobody would write so are as they were.
    let odd = "\"extras\" : {\"z\":1.50e+1,\t\"a\\u0041\": [ ],\"z\":0.10 , \"name\":\"\\/\"},";
    assert!(new.text.contains(odd), "{what}: {}", new.text);
    for accessor in 0..new.accessors() {
        bounds_are_right(what, new, accessor);
    }
}

fn bounds_are_right(what: &str, file: &File, index: usize) {
    let accessor = &file.root["accessors"][index];
    if accessor["min"].is_null() {
        return;
    }
    let component = accessor["componentType"].as_u64().unwrap() as u32;
    let rows: Vec<Vec<f64>> =
        file.elements(index).unwrap().iter().map(|e| crate::fix::reader::numbers(e, component)).collect();
    for (name, pick) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
        for i in 0..rows[0].len() {
            let of = rows.iter().map(|row| row[i]).reduce(pick).unwrap();
            let stated = accessor[name][i].as_f64().unwrap();
            let same = if component == F32 { stated as f32 == of as f32 } else { stated == of };
            assert!(same, "{what}: accessor {index}, {name} {i}: {stated}, not {of}");
        }
    }
}

/// The figures of the report are those of the files.
fn counted(what: &str, old: &File, new: &File, told: &serde_json::Value) {
    let stored = |file: &File| {
        let of = |(m, p): (usize, usize)| {
            (file.pairs(m, p).unwrap(), file.root["meshes"][m]["primitives"][p]["attributes"].clone())
        };
        file.skinned().into_iter().map(of).collect::<Vec<_>>()
    };
    let (mut vertices, mut seen) = (0, Vec::new());
    for ((a, attributes), (b, _)) in stored(old).iter().zip(stored(new)) {
        let sets: Vec<_> =
            attributes.as_object().unwrap().iter().filter(|(k, _)| k.contains("S_")).map(|(_, v)| v.clone()).collect();
        if seen.contains(&sets) {
            continue;
        }
        seen.push(sets);
        let value = |p: &Pairs, at: usize| (p.numbers[at] / p.one()) as f32;
        let same = |at: usize| {
            let (x, y) = (value(a, at), value(&b, at));
            a.joints[at] == b.joints[at] && (x == y || x.is_nan() && y.is_nan())
        };
        vertices += (0..VERTICES).filter(|v| !(v * a.slots..(v + 1) * a.slots).all(same)).count();
    }
    assert_eq!(told["changed"]["vertices"], json!(vertices), "{what}");
    assert_eq!(told["schema"], json!(1));
    let changed = |a: &usize| {
        *a >= old.accessors()
            || old.root["accessors"][*a] != new.root["accessors"][*a]
            || old.elements(*a) != new.elements(*a)
    };
    let accessors: Vec<usize> = (0..new.accessors()).filter(changed).collect();
    assert_eq!(told["changed"]["accessors"], json!(accessors), "{what}");
    let bytes: usize = old
        .buffers
        .iter()
        .zip(&new.buffers)
        .map(|(a, b)| b.len() - a.len() + a.iter().zip(b).filter(|(x, y)| x != y).count())
        .sum();
    assert_eq!(told["changed"]["bytes"], json!(bytes), "{what}");
    let uris = differences(&old.root, &new.root);
    assert_eq!(told["changed"]["json_values"] == json!(0), uris.is_empty(), "{what}");
}

/// Compares an operation with its reference in every document; `component` is the type in which it stores.
pub fn exact(
    documents: Documents,
    name: &str,
    arguments: &[&str],
    component: Option<u32>,
    operation: &dyn Fn(&mut [Vertex], u32),
) {
    for case in documents.cases() {
        let before = &case.before;
        let mut vertices = reference::vertices(before);
        operation(&mut vertices, before.component);
        let expected = reference::store(&vertices, before.slots, component.unwrap_or(before.component));
        compare(name, &case, arguments, &Expected::Pairs(expected));
    }
}
