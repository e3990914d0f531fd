//! PLY, binary little-endian: one list of vertices, polygons for triangles, edges for lines.

use std::io::{Error, ErrorKind, Result, Write};

use skinscope_model::Topology;

use crate::BakedPrimitive;

/// Writes all primitives into one file. Vertices: `x y z` as floats, and `nx ny nz` where a primitive has normals, which are zero in others;
/// faces: lists with a byte for the count and 32-bit indices; lines: the element `edge`. Points are vertices without a face.
///
/// # Errors
/// `out` fails, or there are more vertices than 32-bit indices reach.
pub fn write_ply(primitives: &[BakedPrimitive], out: &mut dyn Write) -> Result<()> {
    let count = |topology, size: usize| -> usize {
        primitives.iter().filter(|p| p.topology == topology).map(|p| p.indices.len() / size).sum()
    };
    let (faces, edges) = (count(Topology::Triangles, 3), count(Topology::Lines, 2));
    let vertices: usize = primitives.iter().map(|p| p.positions.len()).sum();
    if u32::try_from(vertices).is_err() {
        return Err(Error::new(ErrorKind::InvalidInput, "PLY holds at most 4 294 967 295 vertices"));
    }
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}")?;
    let has_normals = primitives.iter().any(|p| !p.normals.is_empty());
    for name in &["x", "y", "z", "nx", "ny", "nz"][..if has_normals { 6 } else { 3 }] {
        writeln!(out, "property float {name}")?;
    }
    writeln!(out, "element face {faces}\nproperty list uchar uint vertex_indices")?;
    if edges > 0 {
        writeln!(out, "element edge {edges}\nproperty uint vertex1\nproperty uint vertex2")?;
    }
    writeln!(out, "end_header")?;
    for p in primitives {
        for (i, position) in p.positions.iter().enumerate() {
            let normal = has_normals.then(|| p.normals.get(i).copied().unwrap_or_default().to_array());
            for number in position.to_array().into_iter().chain(normal.into_iter().flatten()) {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    write_elements(primitives, Topology::Triangles, out)?;
    write_elements(primitives, Topology::Lines, out)
}

fn write_elements(primitives: &[BakedPrimitive], topology: Topology, out: &mut dyn Write) -> Result<()> {
    let mut first = 0;
    for p in primitives {
        if p.topology == topology {
            for (i, index) in p.indices.iter().enumerate() {
                if topology == Topology::Triangles && i.is_multiple_of(3) {
                    out.write_all(&[3])?;
                }
                out.write_all(&(first + index).to_le_bytes())?;
            }
        }
        first += p.positions.len() as u32;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn the_bytes_are_as_the_header_says() {
        let triangle = BakedPrimitive {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            normals: vec![Vec3::Z; 3],
            indices: vec![0, 1, 2],
            ..BakedPrimitive::default()
        };
        let line = BakedPrimitive {
            positions: vec![Vec3::ONE, Vec3::NEG_ONE],
            normals: vec![Vec3::ZERO; 2],
            indices: vec![1, 0],
            topology: Topology::Lines,
            ..BakedPrimitive::default()
        };
        let mut bytes = Vec::new();
        write_ply(&[line, triangle], &mut bytes).unwrap();
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
        assert_eq!(
            header,
            "ply\nformat binary_little_endian 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
             property float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 1\n\
             property list uchar uint vertex_indices\nelement edge 1\nproperty uint vertex1\nproperty uint vertex2\n\
             end_header\n"
        );
        let body = &bytes[end..];
        assert_eq!(body.len(), 5 * 24 + 13 + 8);
        let float = |at: usize| f32::from_le_bytes(body[at..at + 4].try_into().unwrap());
        assert_eq!([float(0), float(24), float(2 * 24 + 20), float(3 * 24)], [1.0, -1.0, 1.0, 1.0]);
        assert_eq!(body[120..133], [3, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
        assert_eq!(body[133..], [1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_has_no_normals_has_no_columns_for_them() {
        let bare =
            BakedPrimitive { positions: vec![Vec3::ONE; 3], indices: vec![0, 1, 2], ..BakedPrimitive::default() };
        let shaded = BakedPrimitive { normals: vec![Vec3::Z; 3], ..bare.clone() };
        let written = |primitives: &[BakedPrimitive]| {
            let mut bytes = Vec::new();
            write_ply(primitives, &mut bytes).unwrap();
            let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            (String::from_utf8(bytes[..end].to_vec()).unwrap().contains("nx"), bytes.len() - end)
        };
        assert_eq!(written(&[bare.clone(), bare.clone()]), (false, 6 * 12 + 2 * 13));
        assert_eq!(written(&[bare, shaded]), (true, 6 * 24 + 2 * 13));
    }
}
