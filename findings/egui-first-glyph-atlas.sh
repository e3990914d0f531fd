#!/usr/bin/env bash
# egui 0.37.0 (cargo): how large the first texture of letters is that an integration has to upload.
#
# Guess: it follows from the letters that are shown, and begins with some hundred kilobytes whatever the device allows.
# Seen: its width is the largest side of a texture that the integration reports, up to 16384, and its first height is 32. A
# window that reports what its graphics device allows (16384 with Mesa's software Vulkan) so gets an atlas of 2 MiB for a
# single letter, which it then has three times: in egui, on its way to the device, and there. Reporting 2048 gives an atlas of
# 256 KiB for the same letter, which grows downwards when it is full.
#
# Fails if that changes. Needs cargo.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "atlas"
version = "0.0.0"
edition = "2021"
[dependencies]
egui = "=0.37.0"
TOML
cat > src/main.rs <<'RUST'
fn main() {
    for side in [16384, 8192, 2048] {
        let context = egui::Context::default();
        let input = egui::RawInput { max_texture_side: Some(side), ..egui::RawInput::default() };
        let mut output = context.run_ui(input, |ui| {
            ui.label("a");
        });
        let deltas = std::mem::take(&mut output.textures_delta.set).into_iter().flat_map(|(_, deltas)| deltas);
        let whole = deltas.filter(|delta| delta.pos.is_none()).last().expect("the atlas is sent whole at first");
        let [width, height] = whole.image.size();
        output.textures_delta.clear();
        println!("reported {side}: {width} x {height}, {} KiB", width * height * whole.image.bytes_per_pixel() / 1024);
    }
}
RUST
cargo run --quiet | tee seen.txt
cat > expected.txt <<'TEXT'
reported 16384: 16384 x 32, 2048 KiB
reported 8192: 8192 x 32, 1024 KiB
reported 2048: 2048 x 32, 256 KiB
TEXT
diff -u expected.txt seen.txt
