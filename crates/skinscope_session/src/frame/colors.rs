//! The colours of a picture that come from the theme.

use skinscope_frame::Background;

/// Colours that come from the theme: sRGB, straight alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneColors {
    /// The background.
    pub background: Background,
    /// The lines of the ground.
    pub grid: [f32; 3],
    /// The floor around the model, light enough for a shadow to be seen on it.
    pub floor: [f32; 4],
    /// A bone while no node is selected.
    pub bone: [f32; 4],
    /// A bone that is neither selected nor below the selected one.
    pub unselected: [f32; 4],
    /// The selected bone.
    pub selected: [f32; 4],
    /// Bones below the selected one.
    pub below_selected: [f32; 4],
    /// The bone under the pointer.
    pub hovered: [f32; 4],
    /// Bones whose joint is edited.
    pub edited: [f32; 4],
    /// The axes X, Y and Z.
    pub axes: [[f32; 4]; 3],
    /// Vertices that no overlay colours.
    pub dots: [f32; 4],
    /// Marked vertices.
    pub marks: [f32; 4],
    /// The pinned vertex, and the outline of it and of its ghosts.
    pub pinned: [[f32; 4]; 2],
}

impl SceneColors {
    /// The colours of the dark theme.
    pub const DARK: Self = Self {
        background: Background::Studio { inner: [0.235, 0.255, 0.302], outer: [0.086, 0.094, 0.114] },
        grid: [0.56, 0.59, 0.66],
        floor: [0.43, 0.455, 0.51, 0.85],
        bone: [0.36, 0.45, 0.62, 0.92],
        unselected: [0.34, 0.41, 0.53, 0.50],
        selected: [0.302, 0.639, 1.0, 1.0],
        below_selected: [0.36, 0.58, 0.90, 0.80],
        hovered: [0.80, 0.90, 1.0, 0.85],
        edited: [0.898, 0.71, 0.404, 0.80],
        axes: [[0.941, 0.380, 0.427, 1.0], [0.482, 0.788, 0.435, 1.0], [0.353, 0.663, 0.973, 1.0]],
        dots: [0.90, 0.92, 0.96, 1.0],
        marks: [0.302, 0.639, 1.0, 1.0],
        pinned: [[1.0, 1.0, 1.0, 1.0], [0.06, 0.07, 0.09, 0.9]],
    };

    /// The colours of the light theme.
    pub const LIGHT: Self = Self {
        background: Background::Studio { inner: [0.93, 0.94, 0.955], outer: [0.78, 0.80, 0.835] },
        grid: [0.45, 0.48, 0.54],
        floor: [0.96, 0.965, 0.975, 0.6],
        bone: [0.28, 0.36, 0.52, 0.90],
        unselected: [0.30, 0.36, 0.46, 0.40],
        selected: [0.05, 0.42, 0.86, 1.0],
        below_selected: [0.20, 0.50, 0.88, 0.75],
        hovered: [0.10, 0.30, 0.60, 0.80],
        edited: [0.72, 0.47, 0.05, 0.80],
        axes: [[0.82, 0.20, 0.26, 1.0], [0.20, 0.56, 0.18, 1.0], [0.13, 0.45, 0.82, 1.0]],
        dots: [0.96, 0.97, 0.99, 1.0],
        marks: [0.05, 0.42, 0.86, 1.0],
        pinned: [[0.10, 0.12, 0.16, 1.0], [1.0, 1.0, 1.0, 0.95]],
    };
}
