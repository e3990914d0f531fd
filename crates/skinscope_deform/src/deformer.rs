//! The choice of what deforms vertices: the vertex shader, a compute shader or the processor.

/// What deforms the parts that a skin moves. The picture is the same; the cost differs. Rigid parts are always moved in
/// the vertex shader, where a deformed copy would save nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Deformer {
    /// The vertex shader; for methods in which a vertex depends on its neighbours, the processor. The other choices
    /// were measured to be no faster on a software device, even where several passes or a crowd read the same vertices
    /// (0.94 to 1.06 of the processor time).
    #[default]
    Auto,
    /// The vertex shader deforms a vertex anew in each pass that reads it.
    VertexShader,
    /// A compute shader deforms each vertex once for a pose; all passes read its result.
    Compute,
    /// The processor deforms each vertex once for a pose, on all cores; all passes and all readouts use the same
    /// surface.
    Processor,
}

skinscope_base::choices! {
    Deformer {
        /// Returns the name on the command line.
        id = 0;
        /// Returns the name in menus.
        label = 1;
        /// Returns a sentence that explains the choice.
        help = 2;
    }
    Auto: "auto", "Automatic", "The vertex shader; methods that need neighbours are left to the processor";
    VertexShader: "shader", "Vertex shader", "Deforms a vertex anew in each pass that reads it";
    Compute: "compute", "Compute shader", "Deforms each vertex once for a pose; all passes read the result";
    Processor: "processor", "Processor",
        "Deforms each vertex once for a pose on all cores; picture, pointer and export read one surface";
}
