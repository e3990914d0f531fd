//! Positions as commands write them, compared with tables of right ones.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

/// Positions of one primitive of a node, metres.
pub struct Part {
    name: String,
    xyz: Vec<[f64; 3]>,
}

impl Part {
    pub fn of(value: &Value) -> Self {
        let name = format!("{} primitive {}", value["node"], value["primitive"]);
        Self { name, xyz: serde_json::from_value(value["xyz"].clone()).unwrap() }
    }
}

/// The vertices of an OBJ file, and the edges of its faces.
pub struct Obj {
    vertices: Vec<[f64; 3]>,
    edges: BTreeSet<[usize; 2]>,
}

pub fn read_obj(path: &Path) -> Result<Obj, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut out = Obj { vertices: Vec::new(), edges: BTreeSet::new() };
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                out.vertices.push([numbers[0], numbers[1], numbers[2]]);
            }
            Some("f") => {
                let index = |word: &str| word.split('/').next()?.parse::<usize>().ok()?.checked_sub(1);
                let face: Vec<usize> = words.filter_map(index).collect();
                let next = face.iter().cycle().skip(1);
                out.edges.extend(face.iter().zip(next).map(|(a, b)| [*a.min(b), *a.max(b)]));
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Poses a GLB that was written at `time` seconds of its clip of this name.
pub fn bake(glb: &Path, base: &Path, clip: &str, time: f64) -> Result<Obj, String> {
    let out = base.with_extension("posed.obj");
    let time = time.to_string();
    let words = ["skinscope".as_ref(), "bake".as_ref(), glb.as_os_str(), "-o".as_ref(), out.as_os_str()];
    let words = words.into_iter().map(OsString::from);
    let (code, written) =
        skinscope::cli::captured(words.chain(["--clip", clip, "--time", &time].into_iter().map(OsString::from)));
    if code != 0 {
        return Err(format!("bake ended with {code}: {}", String::from_utf8_lossy(&written.stderr).trim_end()));
    }
    read_obj(&out)
}

/// Whether the vertices, less `minus`, are those of a table, each coordinate to `off` metres.
pub fn positions(obj: &Obj, table: &[Part], minus: [f64; 3], off: f64) -> Result<(), String> {
    let right: Vec<(usize, &Part, usize)> =
        table.iter().enumerate().flat_map(|(i, part)| (0..part.xyz.len()).map(move |v| (i, part, v))).collect();
    if obj.vertices.len() != right.len() {
        return Err(format!("there are {} vertices, not {}", obj.vertices.len(), right.len()));
    }
    let mut worst = (0.0, String::new());
    let mut differing = 0;
    for (written, (_, part, vertex)) in obj.vertices.iter().zip(right) {
        let right = part.xyz[vertex];
        let far = (0..3).map(|axis| (written[axis] - minus[axis] - right[axis]).abs()).fold(0.0, nan_max);
        differing += usize::from(far.is_nan() || far > off);
        if far > worst.0 || far.is_nan() {
            worst = (far, format!("vertex {vertex} of {} stands at {written:?}, not {right:?}", part.name));
        }
    }
    if differing == 0 {
        Ok(())
    } else {
        Err(format!("{differing} vertices are off, by {:e} m at most: {}", worst.0, worst.1))
    }
}

/// Whether every edge is as long as between the same vertices of a table, to `off` metres.
pub fn edges(obj: &Obj, table: &[Part], off: f64) -> Result<(), String> {
    let right: Vec<[f64; 3]> = table.iter().flat_map(|part| part.xyz.iter().copied()).collect();
    if obj.vertices.len() != right.len() || obj.edges.is_empty() {
        return Err(format!("there are {} vertices, not {}", obj.vertices.len(), right.len()));
    }
    let length = |points: &[[f64; 3]], [a, b]: [usize; 2]| {
        (0..3).map(|axis| (points[a][axis] - points[b][axis]).powi(2)).sum::<f64>().sqrt()
    };
    let differences = obj.edges.iter().map(|edge| (length(&obj.vertices, *edge) - length(&right, *edge)).abs());
    let worst = differences.fold(0.0, nan_max);
    if worst <= off { Ok(()) } else { Err(format!("an edge is {worst:e} m longer or shorter than it is")) }
}

/// The larger of two numbers; NaN where one is.
fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// By how many degrees two rotations differ, as quaternions of any length.
pub fn degrees_between(a: [f64; 4], b: [f64; 4]) -> f64 {
    let dot = |a: [f64; 4], b: [f64; 4]| (0..4).map(|i| a[i] * b[i]).sum::<f64>();
    let unit = |q: [f64; 4]| q.map(|c| c / dot(q, q).sqrt());
    let (a, b) = (unit(a), unit(b));
    // The half-angle by the chord: the arc cosine loses half of the digits near no turn at all.
    let far = |sign: f64| (0..4).map(|i| (a[i] - sign * b[i]).powi(2)).sum::<f64>().sqrt();
    (4.0 * (far(1.0).min(far(-1.0)) / 2.0).min(1.0).asin()).to_degrees()
}
