//! What only a software device needs: one whose driver draws on the processor, such as Mesa's lavapipe. All of it is switched off
//! on a graphics card, where none of it is computed, compiled or uploaded. A picture is the same with each of the switches and
//! without.
//!
//! Each row of [`SWITCHES`] says what it does. To measure what one gains, `SKINSCOPE_SOFTWARE_WITHOUT` names rows that are
//! switched off (`late_depth,portions`); it can switch nothing on.

pub(super) mod backdrop;
pub(super) mod covering;
pub(super) mod late_depth;
pub(super) mod nearest;
pub(super) mod portions;

/// A row of [`SWITCHES`].
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// As `SKINSCOPE_SOFTWARE_WITHOUT` has it.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
}

macro_rules! switches {
    ($($(#[doc = $help:literal])* $name:ident,)*) => {
        /// What is done for the device.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Software {
            $($(#[doc = $help])* pub $name: bool,)*
        }

        /// All of them.
        pub static SWITCHES: &[Switch] = &[$(Switch { name: stringify!($name), help: concat!($($help),*) },)*];

        impl Software {
            /// What is on for a device of this type: all but the rows that `without` names (separated by commas) on one that is
            /// the processor, nothing on others.
            #[must_use]
            pub fn of(kind: wgpu::DeviceType, without: &str) -> Self {
                let is_software = kind == wgpu::DeviceType::Cpu;
                let is_on = |name: &str| is_software && !without.split(',').any(|off| off.trim() == name);
                Self { $($name: is_on(stringify!($name)),)* }
            }

            /// Each row of [`SWITCHES`] and whether it is on.
            #[must_use]
            pub fn rows(&self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

switches! {
    /// A window keeps its panels in a texture, paints what has changed of them there, and copies it and the picture onto its
    /// surface.
    kept_panels,
    /// A window draws one sample of a pixel while the picture moves, and four once it is at rest.
    coarse_motion,
    /// The background is drawn once and copied from then on, in pictures of one sample a pixel.
    backdrop,
    /// Sides of a surface that face away are culled by their winding, where the pose is known to keep it, before fragments are
    /// shaded.
    winding_cull,
    /// Pipelines are made for what is shown (overlay, scale, lights) instead of branching on uniforms, around whose values Mesa's
    /// driver would make a program anew for each draw and keep all of them.
    fixed_state,
    /// Depths are tested after shading with several samples a pixel, so that only covered pixels are shaded.
    late_depth,
    /// Pictures in memory are drawn in portions, each of which waits for the one before, so that the driver notes fewer triangles
    /// at a time.
    portions,
    /// Solid parts of pictures in memory are drawn nearest first, so that hidden ones fail the depth test.
    nearest_first,
    /// Only triangles that cover a sample are packed and uploaded for pictures of large meshes in memory.
    covering,
    /// Large buffers are written 2 MiB at a time, each waiting for the one before, since the driver keeps a copy of what is on its
    /// way.
    stepped_writes,
    /// Device memory comes in blocks that grow, of which the system provides no more than is written.
    growing_blocks,
}

/// The variable that names what is switched off.
pub(super) const WITHOUT: &str = "SKINSCOPE_SOFTWARE_WITHOUT";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graphics_card_has_none_of_it_and_each_can_be_switched_off_alone() {
        use wgpu::DeviceType as D;
        for kind in [D::DiscreteGpu, D::IntegratedGpu, D::VirtualGpu, D::Other] {
            assert!(Software::of(kind, "").rows().iter().all(|(_, on)| !on), "{kind:?}");
        }
        assert!(Software::of(D::Cpu, "").rows().iter().all(|(_, on)| *on));
        for off in SWITCHES {
            let rows = Software::of(D::Cpu, off.name).rows();
            assert!(rows.iter().all(|(name, on)| *on == (*name != off.name)), "{}", off.name);
        }
        let two = Software::of(D::Cpu, "portions, backdrop");
        assert!(!two.portions && !two.backdrop && two.covering);
    }
}
