//! Checks what the documentation promises of the built-in character on the committed file's own bytes.
//! `assets/character.glb` is made by `cargo run -p skinscope_make_assets`; this test shares no code
//! with the generator.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a broken file should fail the test where it is read")]

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde_json::Value;

static FILE: &[u8] = include_bytes!("../../assets/character.glb");

/// A GLB taken apart.
struct Glb {
    json: Value,
    bin: &'static [u8],
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

impl Glb {
    fn read() -> Self {
        assert_eq!(&FILE[..8], b"glTF\x02\0\0\0");
        assert_eq!(u32_at(FILE, 8), FILE.len());
        let json_len = u32_at(FILE, 12);
        let json = serde_json::from_slice(&FILE[20..20 + json_len]).unwrap();
        Self { json, bin: &FILE[28 + json_len..] }
    }

    fn array(&self, key: &str) -> &Vec<Value> {
        self.json[key].as_array().unwrap()
    }

    /// All components of an accessor as stored, a row for each element.
    fn rows(&self, accessor: &Value) -> Vec<Vec<f64>> {
        let accessor = &self.array("accessors")[accessor.as_u64().unwrap() as usize];
        let view = &self.array("bufferViews")[accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = &self.bin[start..start + view["byteLength"].as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("unexpected {other}"),
        };
        let numbers: Vec<f64> = match accessor["componentType"].as_u64().unwrap() {
            5121 => bytes.iter().map(|b| f64::from(*b)).collect(),
            5123 => bytes.chunks_exact(2).map(|b| f64::from(u16::from_le_bytes([b[0], b[1]]))).collect(),
            5126 => bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect(),
            other => panic!("unexpected component type {other}"),
        };
        let count = accessor["count"].as_u64().unwrap() as usize;
        numbers.chunks_exact(width).take(count).map(<[f64]>::to_vec).collect()
    }

    fn joint_names(&self) -> Vec<String> {
        let nodes = self.array("nodes");
        let joints = self.array("skins")[0]["joints"].as_array().unwrap();
        joints.iter().map(|j| nodes[j.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// Vertices of all primitives joined where they share a place, and their triangles.
#[derive(Default)]
struct Surface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// (joint, fraction of 65 535), used ones only, sorted by joint.
    influences: Vec<Vec<(usize, u32)>>,
    triangles: Vec<[usize; 3]>,
}

fn vec3(row: &[f64]) -> Vec3 {
    Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32)
}

fn key(p: Vec3) -> [u32; 3] {
    // Adding zero makes −0 and 0 one.
    p.to_array().map(|v| (v + 0.0).to_bits())
}

fn surface(glb: &Glb) -> Surface {
    let mut out = Surface::default();
    let mut index: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    for primitive in glb.array("meshes")[0]["primitives"].as_array().unwrap() {
        let attribute = |name: &str| glb.rows(&primitive["attributes"][name]);
        let (positions, normals) = (attribute("POSITION"), attribute("NORMAL"));
        let (joints, weights) = (attribute("JOINTS_0"), attribute("WEIGHTS_0"));
        let mut welded = Vec::new();
        for v in 0..positions.len() {
            let pairs = joints[v].iter().zip(&weights[v]).map(|(j, w)| (*j as usize, *w as u32));
            let mut influences: Vec<(usize, u32)> = pairs.filter(|i| i.1 > 0).collect();
            influences.sort_unstable();
            let position = vec3(&positions[v]);
            let at = *index.entry(key(position)).or_insert(out.positions.len());
            if at == out.positions.len() {
                out.positions.push(position);
                out.normals.push(vec3(&normals[v]));
                out.influences.push(influences);
            } else {
                assert_eq!(out.influences[at], influences, "the two sides of a colour's border move differently");
            }
            welded.push(at);
        }
        let indices: Vec<usize> = glb.rows(&primitive["indices"]).iter().map(|i| welded[i[0] as usize]).collect();
        out.triangles.extend(indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
    }
    out
}

/// Vertices and triangles of each connected part, largest first.
fn components(surface: &Surface) -> Vec<(BTreeSet<usize>, Vec<[usize; 3]>)> {
    fn find(root: &mut [usize], mut v: usize) -> usize {
        while root[v] != v {
            root[v] = root[root[v]];
            v = root[v];
        }
        v
    }
    let mut root: Vec<usize> = (0..surface.positions.len()).collect();
    for [a, b, c] in &surface.triangles {
        for other in [b, c] {
            let (x, y) = (find(&mut root, *a), find(&mut root, *other));
            root[x] = y;
        }
    }
    let mut parts: BTreeMap<usize, (BTreeSet<usize>, Vec<[usize; 3]>)> = BTreeMap::new();
    for t in &surface.triangles {
        let part = parts.entry(find(&mut root, t[0])).or_default();
        part.0.extend(t);
        part.1.push(*t);
    }
    let mut parts: Vec<_> = parts.into_values().collect();
    parts.sort_by_key(|p| std::cmp::Reverse(p.1.len()));
    parts
}

#[test]
fn the_file_is_small_and_has_what_it_promises() {
    let glb = Glb::read();
    assert!(FILE.len() < 1_000_000, "{} bytes", FILE.len());
    let names = glb.joint_names();
    assert!(names.len() >= 20);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "two joints share a name");
    let clips: Vec<&str> = glb.array("animations").iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(clips, ["Idle", "Walk", "Wave", "Bend"]);
    assert!(glb.array("materials").len() >= 3);
    assert!(glb.json.get("extensionsRequired").is_none());
}

#[test]
fn every_part_is_closed_and_looks_outward() {
    let surface = surface(&Glb::read());
    let parts = components(&surface);
    assert_eq!(parts.len(), 8, "body, visor, two eyes, two ear pods, lamp and ring");
    for (vertices, triangles) in &parts {
        let mut edges = BTreeSet::new();
        let mut volume = 0.0;
        for [a, b, c] in triangles.iter().copied() {
            for edge in [(a, b), (b, c), (c, a)] {
                assert!(edges.insert(edge), "an edge is walked twice the same way");
            }
            let [pa, pb, pc] = [a, b, c].map(|v| surface.positions[v]);
            volume += pa.cross(pb).dot(pc) / 6.0;
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))), "an edge has no other side");
        let euler = vertices.len() as i64 - edges.len() as i64 / 2 + triangles.len() as i64;
        assert_eq!(euler, 2, "a part has a hole through it");
        assert!(volume > 0.0, "a part is inside out");
    }
    assert!((6_000..30_000).contains(&parts[0].1.len()), "the body has {} triangles", parts[0].1.len());
}

#[test]
fn triangles_are_well_formed_and_agree_with_their_normals() {
    let surface = surface(&Glb::read());
    for t in &surface.triangles {
        let [a, b, c] = t.map(|v| surface.positions[v]);
        let cross = (b - a).cross(c - a);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        // Height over the longest side: no needles.
        assert!(cross.length() / (longest * longest) > 0.04, "a sliver at {a}");
        for v in t {
            let normal = surface.normals[*v];
            assert!((normal.length() - 1.0).abs() < 1e-5);
            assert!(normal.dot(cross.normalize()) > 0.1, "a normal at {a} looks away from its triangle");
        }
    }
}

#[test]
fn weights_sum_to_one_and_blend() {
    let surface = surface(&Glb::read());
    assert!(surface.influences.iter().all(|i| i.iter().map(|(_, w)| w).sum::<u32>() == 65_535));
    let share = |at_least: usize| {
        surface.influences.iter().filter(|i| i.len() >= at_least).count() as f64 / surface.influences.len() as f64
    };
    assert!(share(2) >= 0.3, "{:.2} of the vertices blend two joints or more", share(2));
    assert!(share(4) > 0.0, "none blends four");
    assert!(share(2) < 0.9, "{:.2} blend: the middle of a limb should belong to one joint", share(2));
}

#[test]
fn the_two_sides_match() {
    let glb = Glb::read();
    let surface = surface(&glb);
    let names = glb.joint_names();
    let mirrored: Vec<usize> = names
        .iter()
        .map(|n| {
            let other = match n.rsplit_once('.') {
                Some((stem, "L")) => format!("{stem}.R"),
                Some((stem, "R")) => format!("{stem}.L"),
                _ => n.clone(),
            };
            names.iter().position(|n| *n == other).unwrap()
        })
        .collect();
    assert!(mirrored.iter().enumerate().any(|(j, m)| j != *m));
    let index: BTreeMap<[u32; 3], usize> = surface.positions.iter().enumerate().map(|(v, p)| (key(*p), v)).collect();
    for (v, p) in surface.positions.iter().enumerate() {
        let twin = *index.get(&key(Vec3::new(-p.x, p.y, p.z))).unwrap_or_else(|| panic!("{p} has no twin"));
        let mut want: Vec<(usize, u32)> = surface.influences[v].iter().map(|(j, w)| (mirrored[*j], *w)).collect();
        want.sort_unstable();
        assert_eq!(surface.influences[twin], want, "at {p}");
        // The character's left is +X; beyond the middle, a side is moved by its own joints only.
        let other = surface.influences[v].iter().any(|(j, _)| names[*j].ends_with(".R"));
        assert!(p.x < 0.05 || !other, "{p} on the left is moved by the right");
    }
}

#[test]
fn the_figure_stands_on_the_ground_and_faces_forward() {
    let surface = surface(&Glb::read());
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for p in &surface.positions {
        low = low.min(*p);
        high = high.max(*p);
    }
    assert!(low.y.abs() < 0.003, "lowest point at {}", low.y);
    assert!((1.6..1.8).contains(&high.y), "{} m tall", high.y);
    // The feet reach further forward than back: glTF characters face +Z.
    let feet: Vec<f32> = surface.positions.iter().filter(|p| p.y < 0.05).map(|p| p.z).collect();
    let (heel, toe) = feet.iter().fold((0.0_f32, 0.0_f32), |(l, h), z| (l.min(*z), h.max(*z)));
    assert!(toe > 0.15 && heel > -0.12, "heel {heel}, toe {toe}");
}

#[test]
fn bind_pose_is_the_rest_pose() {
    let glb = Glb::read();
    let nodes = glb.array("nodes");
    let mut parents = vec![None; nodes.len()];
    for (n, node) in nodes.iter().enumerate() {
        for child in node["children"].as_array().into_iter().flatten() {
            parents[child.as_u64().unwrap() as usize] = Some(n);
        }
    }
    let numbers = |v: &Value| v.as_array().map(|a| a.iter().map(|x| x.as_f64().unwrap() as f32).collect::<Vec<_>>());
    let local = |n: usize| {
        let t = numbers(&nodes[n]["translation"]).unwrap_or_else(|| vec![0.0; 3]);
        let r = numbers(&nodes[n]["rotation"]).unwrap_or_else(|| vec![0.0, 0.0, 0.0, 1.0]);
        Mat4::from_rotation_translation(Quat::from_slice(&r), Vec3::from_slice(&t))
    };
    let skin = &glb.array("skins")[0];
    for (joint, bind) in skin["joints"].as_array().unwrap().iter().zip(glb.rows(&skin["inverseBindMatrices"])) {
        let mut node = Some(joint.as_u64().unwrap() as usize);
        let mut model = Mat4::IDENTITY;
        while let Some(n) = node {
            model = local(n) * model;
            node = parents[n];
        }
        let bind = Mat4::from_cols_slice(&bind.iter().map(|v| *v as f32).collect::<Vec<_>>());
        assert!((model * bind).abs_diff_eq(Mat4::IDENTITY, 1e-6), "joint {joint}");
    }
}

#[test]
fn clips_loop_and_their_rotations_are_unit() {
    let glb = Glb::read();
    for clip in glb.array("animations") {
        let (channels, samplers) = (clip["channels"].as_array().unwrap(), clip["samplers"].as_array().unwrap());
        for channel in channels {
            let sampler = &samplers[channel["sampler"].as_u64().unwrap() as usize];
            let times = glb.rows(&sampler["input"]);
            let per_key = if sampler["interpolation"] == "CUBICSPLINE" { 3 } else { 1 };
            let values = glb.rows(&sampler["output"]);
            let keys: Vec<&Vec<f64>> = values.iter().skip(per_key / 3).step_by(per_key).collect();
            assert_eq!(keys.len(), times.len());
            assert_eq!(times[0][0], 0.0);
            assert!(times.windows(2).all(|w| w[0][0] < w[1][0]));
            let (first, last) = (keys[0], keys[keys.len() - 1]);
            if channel["target"]["path"] == "rotation" {
                assert!(keys.iter().all(|q| (q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5));
                let dot: f64 = first.iter().zip(last).map(|(a, b)| a * b).sum();
                assert!(dot.abs() > 1.0 - 1e-6, "{} does not loop", clip["name"]);
            } else {
                assert!(first.iter().zip(last).all(|(a, b)| (a - b).abs() < 1e-5), "{} does not loop", clip["name"]);
            }
        }
    }
}
