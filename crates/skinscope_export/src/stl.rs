//! STL, binary: a list of triangles, each with its own corners.

use std::io::{Error, ErrorKind, Result, Write};

use skinscope_model::Topology;

use crate::BakedPrimitive;

/// Writes the triangles of all primitives: a header of 80 bytes, the count, then for each triangle its normal and its
/// corners as little-endian floats and two unused bytes. STL knows no lines, points, colours or units; the numbers are
/// metres.
///
/// # Errors
/// `out` fails, or there are more triangles than 32 bits count.
pub(crate) fn write_stl(primitives: &[BakedPrimitive], out: &mut dyn Write) -> Result<()> {
    let solid = || primitives.iter().filter(|p| p.topology == Topology::Triangles);
    let triangles: usize = solid().map(|p| p.indices.len() / 3).sum();
    let Ok(count) = u32::try_from(triangles) else {
        return Err(Error::new(ErrorKind::InvalidInput, "STL holds at most 4 294 967 295 triangles"));
    };
    // The header must not begin with "solid", by which readers recognise text files.
    let mut head = [b' '; 80];
    let words = b"skinscope, binary STL, metres";
    head[..words.len()].copy_from_slice(words);
    out.write_all(&head)?;
    out.write_all(&count.to_le_bytes())?;
    for p in solid() {
        for triangle in p.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|i| p.positions[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for number in [normal, a, b, c].into_iter().flat_map(|v| v.to_array()) {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(&[0, 0])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn triangles_stand_with_their_normals_and_lines_are_left_out() {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let triangle = BakedPrimitive { positions: corners, indices: vec![0, 1, 2], ..BakedPrimitive::default() };
        let line = BakedPrimitive { topology: Topology::Lines, indices: vec![0, 1], ..triangle.clone() };
        let mut bytes = Vec::new();
        write_stl(&[line, triangle], &mut bytes).unwrap();
        assert_eq!((bytes.len(), &bytes[80..84]), (84 + 50, &1_u32.to_le_bytes()[..]));
        assert!(!bytes.starts_with(b"solid"));
        let floats: Vec<f32> = bytes[84..132].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        assert_eq!(floats, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
