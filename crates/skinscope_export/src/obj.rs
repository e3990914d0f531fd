//! Wavefront OBJ: an object for each primitive, numbers written so that reading gives the same floats back.

use std::fmt::{Display, Formatter};
use std::io::{Result, Write};

use skinscope_model::{Model, Topology};

use crate::BakedPrimitive;

/// Writes all primitives as objects of one file: positions, the first texture coordinates (v upwards, as OBJ has it),
/// normals where there are some, and the names of the materials that `model` gives them.
///
/// # Errors
/// `out` fails.
pub fn write_obj(model: &Model, primitives: &[BakedPrimitive], out: &mut dyn Write) -> Result<()> {
    writeln!(out, "# World space, metres, +Y up")?;
    // OBJ counts from one, through the whole file, and separately for each kind.
    let (mut vertex, mut uv, mut normal) = (1_u64, 1_u64, 1_u64);
    for p in primitives {
        writeln!(out, "o {}", one_word(&p.name))?;
        for v in &p.positions {
            let [x, y, z] = [0, 1, 2].map(|axis| OffsetNumber(v[axis], p.origin[axis]));
            writeln!(out, "v {x} {y} {z}")?;
        }
        for t in &p.uvs[0] {
            writeln!(out, "vt {} {}", t.x, 1.0 - t.y)?;
        }
        for n in &p.normals {
            writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
        }
        if let Some(material) = p.material {
            writeln!(out, "usemtl {}", one_word(&model.materials[material.index()].name))?;
        }
        let (size, letter) = match p.topology {
            Topology::Points => (1, "p"),
            Topology::Lines => (2, "l"),
            Topology::Triangles => (3, "f"),
        };
        for element in p.indices.chunks_exact(size) {
            write!(out, "{letter}")?;
            for index in element.iter().map(|i| u64::from(*i)) {
                let (v, t, n) = (vertex + index, uv + index, normal + index);
                let has_normals = p.topology == Topology::Triangles && !p.normals.is_empty();
                match (has_normals, p.topology != Topology::Points && !p.uvs[0].is_empty()) {
                    (true, true) => write!(out, " {v}/{t}/{n}")?,
                    (true, false) => write!(out, " {v}//{n}")?,
                    (false, true) => write!(out, " {v}/{t}")?,
                    (false, false) => write!(out, " {v}")?,
                }
            }
            writeln!(out)?;
        }
        vertex += p.positions.len() as u64;
        uv += p.uvs[0].len() as u64;
        normal += p.normals.len() as u64;
    }
    Ok(())
}

/// A coordinate, and what to add to it; it is written with as many digits as the sum needs.
struct OffsetNumber(f32, f64);

impl Display for OffsetNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self(near, 0.0) => Display::fmt(&near, f),
            Self(near, origin) => Display::fmt(&(origin + f64::from(near)), f),
        }
    }
}

/// Returns a name without white space: names end at white space in some readers, and at a line's end in all.
fn one_word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};
    use skinscope_model::{Material, MaterialId, ModelParts};

    use super::*;

    #[test]
    fn objects_count_on_through_the_file() {
        let material = Material { name: "red\npaint".into(), ..Material::default() };
        let model = Model::build(ModelParts { materials: vec![material], ..ModelParts::default() }).unwrap();
        let face = BakedPrimitive {
            name: "left arm".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(0.1, 1e-7, -2.5)],
            normals: vec![Vec3::Z; 3],
            uvs: [vec![Vec2::new(0.25, 0.75); 3], Vec::new()],
            indices: vec![0, 1, 2],
            material: Some(MaterialId(0)),
            ..BakedPrimitive::default()
        };
        let bare = BakedPrimitive { uvs: [Vec::new(), Vec::new()], material: None, ..face.clone() };
        let line = BakedPrimitive { indices: vec![2, 0], topology: Topology::Lines, ..face.clone() };
        let mut bytes = Vec::new();
        let flat = BakedPrimitive { normals: Vec::new(), ..bare.clone() };
        let painted = BakedPrimitive { normals: Vec::new(), ..face.clone() };
        write_obj(&model, &[face, bare, line, flat, painted], &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines = |start: &str| text.lines().filter(|l| l.starts_with(start)).collect::<Vec<_>>();
        assert_eq!(lines("o "), ["o left_arm"; 5]);
        assert_eq!(lines("usemtl"), ["usemtl red_paint"; 3]);
        assert_eq!(lines("vn ").len(), 9);
        assert_eq!(lines("f "), ["f 1/1/1 2/2/2 3/3/3", "f 4//4 5//5 6//6", "f 10 11 12", "f 13/7 14/8 15/9"]);
        assert_eq!(lines("l "), ["l 9/6 7/4"]);
        assert_eq!(lines("vt ")[0], "vt 0.25 0.25");
        assert_eq!(lines("v ")[2], "v 0.1 0.0000001 -2.5");
    }
}
