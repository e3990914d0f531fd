//! A method with everything that applying it needs: the values of its parameters, the data that it computed for a model
//! in advance, the normals, and the pass after it.

use std::ops::Deref;
use std::sync::Arc;

use glam::Vec4;
use skinscope_base::parallel::JobContext;
use skinscope_model::{InstanceId, Model};

use super::parameter::{ParameterSettings, ParameterValues};
use super::{METHODS, Method, NORMAL_MODES, Neighbours, NormalMode, NormalSource, Pass, SplitModel, Subdivision};

/// Data that a method or a pass computes once for a model, before it can deform: [`Method::data`] or [`Pass::data`]. It
/// depends only on the model (its weights included), not on pose or parameters.
#[derive(Debug)]
pub struct DataSource {
    /// What is computed, in words for the progress bar, such as "centres of rotation".
    pub label: &'static str,
    /// Computes the data on all cores; returns `None` soon after the job was cancelled.
    pub make: fn(&Model, &JobContext) -> Option<MethodData>,
}

/// There is one of each: two are equal where they are the same one.
impl PartialEq for DataSource {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// The result of a [`DataSource`]. A source fills only the lists that its method or pass reads.
#[derive(Debug, Default)]
pub struct MethodData {
    /// A vector for each vertex, by instance, then by primitive; empty lists where a primitive needs none.
    pub vectors: Vec<Vec<Arc<[Vec4]>>>,
    /// The neighbours of vertices, by skin.
    pub neighbours: Vec<Neighbours>,
    /// The model with copies of the vertices that have several positions; `vectors` then has entries for the copies
    /// too.
    pub split: Option<Arc<SplitModel>>,
    /// The model subdivided; of [`super::SUBDIVISIONS`].
    pub subdivision: Option<Arc<Subdivision>>,
}

impl MethodData {
    /// Returns the vectors of the vertices of a primitive; empty where it has none.
    #[must_use]
    pub fn vectors_of(&self, instance: InstanceId, primitive: usize) -> &[Vec4] {
        let of_instance = self.vectors.get(instance.index());
        of_instance.and_then(|list| list.get(primitive)).map_or(&[], |list| list)
    }
}

/// A method together with everything that applying it needs. It dereferences to the [`Method`].
#[derive(Clone, Copy, Debug)]
pub struct Deformation<'a> {
    /// The method.
    pub method: &'a Method,
    /// The values of [`Method::parameters`].
    pub values: ParameterValues,
    /// The data of [`Method::data`] for the model; `None`: [`super::Surface::of`] computes it where the method needs
    /// it.
    pub data: Option<&'a MethodData>,
    /// The source of normals; a mode that does not fit the method is not applied.
    pub normals: &'a NormalMode,
    /// The pass after the method, if any.
    pub pass: Option<AppliedPass<'a>>,
}

/// A pass with everything that applying it needs.
#[derive(Clone, Copy, Debug)]
pub struct AppliedPass<'a> {
    /// The pass.
    pub pass: &'a Pass,
    /// The values of [`Pass::parameters`].
    pub values: ParameterValues,
    /// The data of [`Pass::data`] for the model; `None`: it is computed where the pass needs it.
    pub data: Option<&'a MethodData>,
}

impl Deref for Deformation<'_> {
    type Target = Method;
    fn deref(&self) -> &Method {
        self.method
    }
}

impl<'a> From<&'a Method> for Deformation<'a> {
    /// Applies the method with the defaults of its parameters, without a pass.
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
    /// Applies a method with the parameter values in `settings`, without a pass.
    #[must_use]
    pub fn with(method: &'a Method, settings: &ParameterSettings) -> Self {
        Self { method, values: settings.values(method.parameters), data: None, normals: NORMAL_MODES[0], pass: None }
    }

    /// Adds a pass with the parameter values in `settings`.
    #[must_use]
    pub fn then(self, pass: &'a Pass, settings: &ParameterSettings) -> Self {
        let values = settings.values(pass.parameters);
        Self { pass: Some(AppliedPass { pass, values, data: None }), ..self }
    }

    /// Returns the source of normals that is applied; `None` where the mode does not fit the method or changes nothing.
    #[must_use]
    pub fn normal_mode(&self) -> Option<NormalSource> {
        let fits = self.normals.fits_all || std::ptr::eq(self.method, METHODS[0]);
        Some(self.normals.source).filter(|source| fits && !matches!(source, NormalSource::Method))
    }

    /// Returns whether the whole surface is changed after its vertices were deformed one by one, by the method or by
    /// the pass.
    #[must_use]
    pub fn has_pass(&self) -> bool {
        self.method.pass.is_some() || self.pass.is_some()
    }

    /// Returns whether deforming one vertex needs the whole surface, or data of the whole model. A vertex is then read
    /// from a [`super::Surface`].
    #[must_use]
    pub fn needs_surface(&self) -> bool {
        self.has_pass() || self.method.data.is_some() || self.normal_mode().is_some()
    }

    /// Returns why a shader cannot deform alone, so that the processor has to, in words for the user; `None` where it
    /// can.
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
