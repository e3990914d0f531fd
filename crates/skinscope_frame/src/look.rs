//! Looks: what a surface without an overlay is drawn as, such as clay, its normals, or its base colour.
//!
//! A look is one WGSL function (`shaders/look/`), which gives a point of the surface its colour, and one row of [`LOOKS`].
//! Menu, command line, session files and renderer read the row.

/// A way to draw a surface that no overlay colours.
#[derive(Debug)]
pub struct Look {
    /// The name on the command line, such as `clay`.
    pub id: &'static str,
    /// The label in the menu.
    pub label: &'static str,
    /// A sentence that says what the picture shows.
    pub help: &'static str,
    /// What kind of look it is.
    pub group: LookGroup,
    /// The file name in `shaders/` and the text of the shader. It defines `look_color`, by the rules at the top of
    /// `shaders/look.wgsl`. `None`: the materials of the file in light, which the shaders of the surface draw: in that of the
    /// studio, or of the environment ([`Look::is_environment`]).
    pub wgsl: Option<(&'static str, &'static str)>,
    /// What it reads of a material beside the base colour.
    pub reads: &'static [MaterialMap],
    /// Whether it shows the back of surfaces too that are single-sided.
    pub shows_backs: bool,
    /// Whether it shows the light of the picture, so that shadows fall on it.
    pub is_lit: bool,
}

/// A kind of looks. The menu has a submenu for each kind but the first, whose looks it lists itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookGroup {
    /// Shows the materials, or the form of the surface.
    Form,
    /// Shows the form in one material whose light turns with the camera.
    Matcap,
    /// Shows what is stored for the surface, such as normals or texture coordinates, as colours.
    Data,
}

/// A map of a material that some looks read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialMap {
    /// Metalness and roughness, or specular and glossiness.
    MetallicRoughness,
    /// The normal map.
    Normal,
}

impl Look {
    /// Returns whether materials are lit by an environment in place of the studio.
    #[must_use]
    pub fn is_environment(&self) -> bool {
        self.id == ENVIRONMENT
    }
}

impl PartialEq for Look {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A file in `shaders/`: its name there, and its text.
macro_rules! wgsl {
    ($file:literal) => {
        ($file, include_str!(concat!("../../../shaders/", $file)))
    };
}

/// The id of the look that lights materials by an environment.
pub const ENVIRONMENT: &str = "environment";

const NORMAL: &[MaterialMap] = &[MaterialMap::Normal];

/// What most looks have.
const PLAIN: Look = Look {
    id: "",
    label: "",
    help: "",
    group: LookGroup::Form,
    wgsl: None,
    reads: &[],
    shows_backs: false,
    is_lit: false,
};

/// The rows of [`LOOKS`]: the kind, the id, the label, the file of the shader, what else it has between brackets, and the sentence.
macro_rules! looks {
    ($($group:ident $id:expr, $label:literal $(, $file:literal)? $([$($field:ident: $value:expr),*])?: $help:literal;)*) => {
        &[$(Look {
            id: $id,
            label: $label,
            help: $help,
            group: LookGroup::$group,
            $(wgsl: Some(wgsl!($file)),)?
            $($($field: $value,)*)?
            ..PLAIN
        }),*]
    };
}

/// All looks, in the order of the menu. The first shows the materials of the file, and is the one that a view begins with.
pub static LOOKS: &[Look] = looks! {
    Form "studio", "Studio" [is_lit: true]:
        "Show materials and light";
    Form ENVIRONMENT, "Environment" [is_lit: true]:
        "Show materials in the light of a picture of the surroundings";
    Form "clay", "Clay", "look/clay.wgsl" [is_lit: true]:
        "Show the form in one material, without textures";
    Matcap "ceramic", "Ceramic", "look/ceramic.wgsl" [reads: NORMAL]:
        "Show the form as white glazed ceramic whose light turns with the camera";
    Matcap "wax", "Red wax", "look/wax.wgsl" [reads: NORMAL]:
        "Show the form as soft red wax whose light turns with the camera";
    Matcap "jade", "Jade", "look/jade.wgsl" [reads: NORMAL]:
        "Show the form as green stone that light shines through at the edges";
    Matcap "chrome", "Chrome", "look/chrome.wgsl" [reads: NORMAL]:
        "Show the form as a mirror of a horizon, which makes dents visible";
    Matcap "pearl", "Pearl", "look/pearl.wgsl" [reads: NORMAL]:
        "Show the form in pale colours that change with its slope";
    Matcap "zebra", "Zebra stripes", "look/zebra.wgsl":
        "Show reflected stripes, which break where the normals of a surface do";
    Form "curvature", "Curvature", "look/curvature.wgsl":
        "Show where the surface bulges (orange) and where it is hollow (blue), such as in folds and twisted joints";
    Form "cavity", "Cavity", "look/cavity.wgsl" [reads: NORMAL, is_lit: true]:
        "Show the form in grey, with ridges lighter and grooves darker";
    Data "normals", "Normal colours", "look/normals.wgsl" [reads: NORMAL]:
        "Show the normal in the world as a colour, with the normal map: X red, Y green, Z blue";
    Data "tangents", "Tangent colours", "look/tangents.wgsl":
        "Show the tangent in the world as a colour, darker where the texture is mirrored; grey without texture coordinates";
    Data "uv-checker", "UV checker", "look/uv_checker.wgsl":
        "Show the texture coordinates as eight by eight squares, A1 to H8, each with eight by eight smaller ones";
    Data "base-color", "Base colour", "look/base_color.wgsl":
        "Show the base colour of materials without light";
    Data "roughness", "Roughness and metal", "look/roughness.wgsl" [reads: &[MaterialMap::MetallicRoughness]]:
        "Show roughness from black (smooth) to white (rough), and metal in copper";
    Data "vertex-colors", "Vertex colours", "look/vertex_colors.wgsl":
        "Show the colours of the vertices without light; white where there are none";
    Data "back-faces", "Back faces", "look/back_faces.wgsl" [shows_backs: true, is_lit: true]:
        "Show the back of triangles in orange, also where materials hide it";
};

/// Returns a look by its id.
#[must_use]
pub fn look(id: &str) -> Option<&'static Look> {
    LOOKS.iter().find(|look| look.id == id)
}

/// A tone map: the curve that brings light of any strength into the range that a screen shows.
#[derive(Debug)]
pub struct ToneMap {
    /// The name on the command line, such as `neutral`.
    pub id: &'static str,
    /// The label in the menu.
    pub label: &'static str,
    /// A sentence that says what it does.
    pub help: &'static str,
    /// The file name in `shaders/` and the text of the shader. It defines `tone`, from linear light to the linear colour of
    /// a pixel, and `untoned`, its inverse where it has one.
    pub wgsl: (&'static str, &'static str),
}

impl PartialEq for ToneMap {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// All tone maps, in the order of the menu. A view begins with the first.
pub static TONE_MAPS: &[ToneMap] = &[
    ToneMap {
        id: "neutral",
        label: "Khronos PBR Neutral",
        help: "Leave base colours as they are, and compress only highlights",
        wgsl: wgsl!("tone/neutral.wgsl"),
    },
    ToneMap {
        id: "aces",
        label: "ACES",
        help: "Strong contrast, as films have it: the fit of the Academy's curve that three.js has",
        wgsl: wgsl!("tone/aces.wgsl"),
    },
    ToneMap {
        id: "agx",
        label: "AgX",
        help: "Soft contrast, with bright colours that fade to white, as in Blender and three.js",
        wgsl: wgsl!("tone/agx.wgsl"),
    },
    ToneMap {
        id: "none",
        label: "No tone map",
        help: "Cut off what is brighter than the screen",
        wgsl: wgsl!("tone/none.wgsl"),
    },
];

/// Returns a tone map by its id.
#[must_use]
pub fn tone_map(id: &str) -> Option<&'static ToneMap> {
    TONE_MAPS.iter().find(|map| map.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_files_of_looks_and_tone_maps_are_their_own() {
        let ids: Vec<_> = LOOKS.iter().map(|l| l.id).chain(TONE_MAPS.iter().map(|t| t.id)).collect();
        for (i, id) in ids.iter().enumerate() {
            assert!(!ids[..i].contains(id), "{id}");
        }
        for row in LOOKS {
            assert_eq!(look(row.id), Some(row));
            let file = row.wgsl.map(|(file, _)| file.to_owned());
            let expected = format!("look/{}.wgsl", row.id.replace('-', "_"));
            let shows_materials = ["studio", ENVIRONMENT].contains(&row.id);
            assert_eq!(file, Some(expected).filter(|_| !shows_materials), "{}", row.id);
            assert_eq!(row.is_environment(), row.id == ENVIRONMENT);
        }
        assert!(LOOKS[0].wgsl.is_none() && !LOOKS[0].is_environment());
    }
}
