//! A method as it is applied: with the values of its parameters, the data that it works out once for a model, and the pass that
//! comes after it.

use std::ops::Deref;
use std::sync::Arc;

use glam::Vec4;
use skinscope_base::parallel::JobContext;
use skinscope_model::{InstanceId, Model};

use super::parameter::{ParameterSettings, ParameterValues};
use super::{METHODS, Method, NORMAL_MODES, Neighbours, NormalMode, NormalSource, Pass, SplitModel};

/// Work that a method or a pass needs done once for a model, before it can deform: a row of [`Method::data`] or [`Pass::data`]. It
/// depends on the model alone (its weights included), not on pose or parameters.
#[derive(Debug)]
pub struct DataSource {
    /// What is worked out, for the progress bar: "centres of rotation".
    pub label: &'static str,
    /// Works it out on all cores; `None` soon after the job is cancelled.
    pub make: fn(&Model, &JobContext) -> Option<MethodData>,
}

/// The result of a [`DataSource`]; a source fills what its methods need.
#[derive(Debug, Default)]
pub struct MethodData {
    /// By instance, then primitive: a vector for each vertex. Empty lists where a primitive needs none.
    pub vectors: Vec<Vec<Arc<[Vec4]>>>,
    /// By skin: which vertices are neighbours.
    pub neighbours: Vec<Neighbours>,
    /// The model with copies of the vertices that stand at several positions; then `vectors` has those of the copies too.
    pub split: Option<Arc<SplitModel>>,
}

impl MethodData {
    /// The vectors of the vertices of a primitive; empty where it has none.
    #[must_use]
    pub fn vectors_of(&self, instance: InstanceId, primitive: usize) -> &[Vec4] {
        let of_instance = self.vectors.get(instance.index());
        of_instance.and_then(|list| list.get(primitive)).map_or(&[], |list| list)
    }
}

/// A method as it is applied; it derefs to the method.
#[derive(Clone, Copy, Debug)]
pub struct Deformation<'a> {
    /// The row of the table.
    pub method: &'a Method,
    /// The values of [`Method::parameters`].
    pub values: ParameterValues,
    /// What [`Method::data`] has worked out for the model. `None`: [`super::Surface::of`] works it out where the method needs it.
    pub data: Option<&'a MethodData>,
    /// Where normals come from; a mode that does not fit the method is not applied.
    pub normals: &'a NormalMode,
    /// The pass that comes after the method.
    pub pass: Option<AppliedPass<'a>>,
}

/// A pass as it is applied.
#[derive(Clone, Copy, Debug)]
pub struct AppliedPass<'a> {
    /// The row of the table.
    pub pass: &'a Pass,
    /// The values of [`Pass::parameters`].
    pub values: ParameterValues,
    /// See [`Deformation::data`].
    pub data: Option<&'a MethodData>,
}

impl Deref for Deformation<'_> {
    type Target = Method;
    fn deref(&self) -> &Method {
        self.method
    }
}

impl<'a> From<&'a Method> for Deformation<'a> {
    /// With the defaults of its parameters, and no pass after it.
    fn from(method: &'a Method) -> Self {
        Self::with(method, &ParameterSettings::default())
    }
}

impl<'a> From<&&'a Method> for Deformation<'a> {
    fn from(method: &&'a Method) -> Self {
        Self::from(*method)
    }
}

impl<'a> Deformation<'a> {
    /// With these values, and no pass after it.
    #[must_use]
    pub fn with(method: &'a Method, settings: &ParameterSettings) -> Self {
        Self { method, values: settings.values(method.parameters), data: None, normals: NORMAL_MODES[0], pass: None }
    }

    /// The same, with a pass after it.
    #[must_use]
    pub fn then(self, pass: &'a Pass, settings: &ParameterSettings) -> Self {
        let values = settings.values(pass.parameters);
        Self { pass: Some(AppliedPass { pass, values, data: None }), ..self }
    }

    /// The normal mode that is applied: one that fits the method, and changes something.
    #[must_use]
    pub fn normal_mode(&self) -> Option<NormalSource> {
        let fits = self.normals.fits_all || std::ptr::eq(self.method, METHODS[0]);
        Some(self.normals.source).filter(|source| fits && !matches!(source, NormalSource::Method))
    }

    /// Whether the surface is changed as a whole after vertices were deformed, by the method or by what comes after it.
    #[must_use]
    pub fn has_pass(&self) -> bool {
        self.method.pass.is_some() || self.pass.is_some()
    }

    /// True where one vertex cannot be deformed without the surface as a whole, or without data of the whole model: questions about
    /// a vertex then read the [`super::Surface`].
    #[must_use]
    pub fn needs_surface(&self) -> bool {
        self.has_pass() || self.method.data.is_some() || self.normal_mode().is_some()
    }

    /// Why the shader cannot do it alone, so that the processor deforms; `None`: it can.
    #[must_use]
    pub fn needs_processor(&self) -> Option<&'static str> {
        const NEIGHBOURS: &str = "its vertices need their neighbours, which a shader does not have";
        const DATA: &str = "it needs data of each vertex that is worked out once, which the shader does not have";
        const NORMALS: &str = "its normals are worked out for the whole surface, which the shader does not do";
        match self {
            _ if self.has_pass() => Some(NEIGHBOURS),
            _ if self.method.data.is_some() => Some(DATA),
            _ if self.normal_mode().is_some() => Some(NORMALS),
            _ => None,
        }
    }
}
