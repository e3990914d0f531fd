//! Reads lights (`KHR_lights_punctual`) and cameras, and the nodes that have them. A broken light or camera causes a
//! warning and is left out, since the model can be drawn without it.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

use glam::Vec3;
use gltf::json;
use gltf::json::camera::Type;
use gltf::json::validation::Checked;
use serde_json::Value;
use skinscope_base::words::counted;
use skinscope_model::{Camera, CameraId, Lens, Light, LightId, LightKind, NodeId};

use super::Reader;
use super::error::quoted;
use super::fields::{Fields, Range};
use super::nodes::Nodes;

const LIGHTS: &str = "KHR_lights_punctual";

/// The lights and cameras of a file. Those that could not be read are not in the lists; ids are indices in the lists.
#[derive(Debug, Default)]
pub(super) struct LightsAndCameras {
    pub lights: Vec<Light>,
    /// The light of each node that has one, in rising order of nodes.
    pub light_nodes: Vec<(NodeId, LightId)>,
    pub cameras: Vec<Camera>,
    /// The camera of each node that has one, in rising order of nodes.
    pub camera_nodes: Vec<(NodeId, CameraId)>,
    /// The light by the file's index; `None` where it could not be read.
    pub light_of_file: Vec<Option<LightId>>,
    /// The camera by the file's index; `None` where it could not be read.
    pub camera_of_file: Vec<Option<CameraId>>,
}

/// Reads all lights and cameras.
pub(super) fn read(reader: &Reader, nodes: &Nodes) -> LightsAndCameras {
    let mut out = LightsAndCameras::default();
    let extensions = reader.root.extensions.as_ref().map(|e| &e.others);
    let list = Fields::of(reader, "file", LIGHTS, extensions).map_or(&[][..], |f| f.list("lights"));
    for (i, value) in list.iter().enumerate() {
        let light = read_light(reader, i, value);
        out.light_of_file.push(light.as_ref().map(|_| LightId::from_index(out.lights.len())));
        out.lights.extend(light);
    }
    for (i, camera) in reader.root.cameras.iter().enumerate() {
        let camera = read_camera(reader, i, camera);
        out.camera_of_file.push(camera.as_ref().map(|_| CameraId::from_index(out.cameras.len())));
        out.cameras.extend(camera);
    }
    for (i, file) in nodes.skeleton.file_index.iter().enumerate() {
        let node = &reader.root.nodes[*file as usize];
        // Reading the meshes checks that the camera is there.
        let camera = node.camera.and_then(|c| *out.camera_of_file.get(c.value())?);
        out.camera_nodes.extend(camera.map(|c| (NodeId::from_index(i), c)));
        let Some(extensions) = node.extensions.as_ref().filter(|e| e.others.contains_key(LIGHTS)) else { continue };
        let location = format!("node {file}");
        let Some(fields) = Fields::of(reader, &location, LIGHTS, Some(&extensions.others)) else { continue };
        let Some(index) = fields.index("light") else { continue };
        match out.light_of_file.get(index) {
            Some(light) => out.light_nodes.extend(light.map(|l| (NodeId::from_index(i), l))),
            None => fields.warn(
                "light",
                format_args!("is {index}, where the file has {}", counted(list.len(), "light", "lights")),
            ),
        }
    }
    out
}

fn read_light(reader: &Reader, index: usize, value: &Value) -> Option<Light> {
    let location = format!("light {index}");
    let Value::Object(map) = value else {
        reader.warnings.add(location, "is no object; it is left out");
        return None;
    };
    let fields = Fields { reader, location: &location, prefix: LIGHTS, map };
    let kind = match map.get("type").and_then(Value::as_str) {
        Some("directional") => LightKind::Directional,
        Some("point") => LightKind::Point,
        Some("spot") => spot(&fields),
        other => {
            let found = other.map_or("none".into(), quoted);
            fields.warn("type", format_args!("is {found}, not directional, point or spot; the light is left out"));
            return None;
        }
    };
    let range = map.contains_key("range").then(|| fields.number("range", 0.0, Range::POSITIVE)).filter(|r| *r > 0.0);
    Some(Light {
        name: map.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        kind,
        color: Vec3::from_array(fields.numbers("color", [1.0; 3], Range::POSITIVE)),
        intensity: fields.number("intensity", 1.0, Range::POSITIVE),
        range: range.filter(|_| kind != LightKind::Directional),
    })
}

fn spot(light: &Fields) -> LightKind {
    let empty = serde_json::Map::new();
    let fields = Fields { prefix: "spot", map: light.object("spot").unwrap_or(&empty), ..*light };
    let right = Range { least: 0.0, most: FRAC_PI_2 };
    let outer = fields.number("outerConeAngle", FRAC_PI_4, right);
    let inner = fields.number("innerConeAngle", 0.0, right);
    if inner < outer {
        return LightKind::Spot { inner, outer };
    }
    fields.warn("innerConeAngle", format_args!("is {inner}, not below the outer cone's {outer}; read as just below"));
    let outer = outer.max(1e-3);
    LightKind::Spot { inner: outer * 0.999, outer }
}

fn read_camera(reader: &Reader, index: usize, camera: &json::Camera) -> Option<Camera> {
    let lens = match (&camera.type_, &camera.perspective, &camera.orthographic) {
        (Checked::Valid(Type::Perspective), Some(p), _) => {
            Lens::Perspective { fov_y: p.yfov, aspect: p.aspect_ratio, near: p.znear, far: p.zfar }
        }
        // Negative magnifications would mirror the picture, which nobody means (3.10.3.4 discourages them).
        (Checked::Valid(Type::Orthographic), _, Some(o)) => {
            Lens::Orthographic { half_width: o.xmag.abs(), half_height: o.ymag.abs(), near: o.znear, far: o.zfar }
        }
        _ => {
            reader.warnings.add(format!("camera {index}"), "has no projection of its type; it is left out");
            return None;
        }
    };
    if !lens.is_valid() {
        let text = "has numbers that make no projection (angle, size or depths); it is left out";
        reader.warnings.add(format!("camera {index}"), text);
        return None;
    }
    Some(Camera { name: camera.name.clone().unwrap_or_default(), lens })
}
