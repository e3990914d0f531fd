//! Writes `assets/character.glb`, the built-in character: `cargo run -p skinscope_make_assets`.
//!
//! ```text
//! skeleton ─► body, parts (solids) ─► cage ─► mesh: subdivide, project, relax ─► file
//!        └──► pose ─► clips ─► keys ─────────────────────────────────────────────┘
//! ```
//! Deterministic: the same program writes the same bytes.

mod body;
mod cage;
mod clips;
mod file;
mod keys;
mod mesh;
mod parts;
mod pose;
mod sdf;
mod skeleton;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let skeleton = skeleton::Skeleton::new();
    let body = (cage::build(&skeleton), 2);
    let mut meshes = Vec::new();
    for (mut mesh, levels) in std::iter::once(body).chain(parts::build(&skeleton)) {
        for _ in 0..levels {
            mesh = mesh.subdivide(&skeleton);
            mesh.project(&skeleton);
        }
        for _ in 0..6 {
            mesh.relax(&skeleton, 0.5);
        }
        meshes.push(mesh);
    }
    let bytes = file::write(&skeleton, &meshes, &clips::all(&skeleton))?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/character.glb");
    std::fs::write(&path, &bytes)?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
