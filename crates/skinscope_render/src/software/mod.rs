//! Everything that only a software device needs: one whose driver draws on the processor, such as Mesa's lavapipe. All
//! of it is switched off on a graphics card, where none of it is computed, compiled or uploaded. A picture is the same
//! with and without each of the switches, but for the edges of shadows, where depths round differently (`casting`), and for
//! shadows that are a little rougher (`half_shadows`).
//!
//! There is a way of its own only where it gains three tenths of something, or where a row of `benches/compare.sh` would be worse by more
//! than a twentieth without it, or where memory would not suffice.
//!
//! Each row of [`SWITCHES`] says what it does and what it gains. The figures are medians of the ratio of processor time
//! between alternating runs, with that row switched off and with all rows on, at 1024×768, on two cores, with Mesa
//! 22.3. Windows drew one sample per pixel, pictures four. To repeat them, `SKINSCOPE_SOFTWARE_WITHOUT` names the rows
//! to switch off (`late_depth,portions`, or `all`); it can switch nothing on.
//!
//! Two decisions that depend on the type of a device are made elsewhere, since they do not help a software device
//! alone. The memory for textures (`budget.rs`) depends on whose memory it is: 4 GiB where it is a card's own, 1 GiB
//! where an integrated card or a software device shares the machine's. And which adapter is opened (`gpu.rs`) is
//! decided before there is a device for which anything could be switched off: hardware is taken before a software
//! device wherever there are both. That code asks `is_software` too.

pub(super) mod backdrop;
pub(super) mod casting;
pub(super) mod covering;
pub(super) mod late_depth;
pub(super) mod portions;

/// Whether a device of this type draws on the processor.
pub(super) fn is_software(kind: wgpu::DeviceType) -> bool {
    kind == wgpu::DeviceType::Cpu
}

/// A row of [`SWITCHES`].
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name that `SKINSCOPE_SOFTWARE_WITHOUT` uses.
    pub name: &'static str,
    /// A sentence that says what the switch does and what it gains.
    pub help: &'static str,
}

macro_rules! switches {
    ($($(#[doc = $help:literal])* $name:ident,)*) => {
        /// Which switches are on for a device.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Software {
            $($(#[doc = $help])* pub $name: bool,)*
        }

        /// All switches, each with what it does and gains.
        pub static SWITCHES: &[Switch] = &[$(Switch { name: stringify!($name), help: concat!($($help),*) },)*];

        impl Software {
            /// The switches for a device of this type. On a software device all are on except those that `without`
            /// names (separated by commas; `all` names every one). On other devices none is on.
            #[must_use]
            pub fn of(kind: wgpu::DeviceType, without: &str) -> Self {
                let is_off = |name: &str| without.split(',').any(|off| [name, "all"].contains(&off.trim()));
                let is_on = |name: &str| is_software(kind) && !is_off(name);
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
    /// surface; what lies over the picture is blended from there while it does not change. Without it a playing frame takes 2.9 and 3.0 times the processor time (CesiumMan, RobotExpressive).
    kept_panels,
    /// A window draws one sample of a pixel while the picture moves, and four once it is at rest. Without it a playing frame takes
    /// 1.9 times the processor time.
    coarse_motion,
    /// While a clip plays, measuring its surface (`app/pace.rs`) rests four times as long as it took. Without it a playing frame of
    /// 300 000 vertices takes 1.0 to 1.4 times the processor time.
    measures_rest,
    /// The background is drawn once and copied from then on, in pictures of one sample a pixel. Without it a playing frame takes
    /// 1.1 to 1.2 times the processor time.
    backdrop,
    /// Sides of a surface that face away are culled by their winding, where the pose is known to keep it, before fragments are
    /// shaded. Without it a picture of 500 parts takes 1.5 times the processor time, a playing frame 1.04 to 1.14 times.
    winding_cull,
    /// Pipelines are made for what is shown (overlay, scale, lights) instead of branching on uniforms. For those Mesa's
    /// driver would compile a program again for each draw and each of their values, and keep all of them. Without it a
    /// playing frame takes 1.06 to 1.17 times the processor time, and under an overlay memory grows for as long as a
    /// clip plays.
    fixed_state,
    /// Depths are tested after shading with several samples a pixel, so that only covered pixels are shaded. Without it
    /// a picture of a million vertices takes 1.25 times the processor time, one of 500 parts 1.11 times.
    late_depth,
    /// Pictures in memory are drawn in portions, each of which waits for the one before, so that the driver stores
    /// fewer triangles at a time. Without it a picture of a million vertices takes 1.10 times the processor time and
    /// 1.18 times the memory.
    portions,
    /// Only triangles that cover a sample and do not lie behind others are packed and uploaded for pictures of large
    /// models in memory. Without it a picture of 500 parts takes 1.40 times the processor time, one of 2 000 parts 1.32
    /// times, one of a million vertices 1.30 times (and 1.23 times the memory), and a primitive of five million has no
    /// picture: it is larger than a buffer may be.
    covering,
    /// The depths that shadows are computed from are drawn by the processor itself, unless alpha cuts holes into the model.
    casting,
    /// Shadows are computed from half as many directions, unless the surroundings alone light the ground. Without it a picture of
    /// an ordinary character takes 1.06 to 1.09 times the processor time.
    half_shadows,
    /// Device memory comes in blocks that grow, of which the system provides no more than is written. Without it a picture with 200
    /// textures of 1024² takes 1.07 times the processor time, and where the system gives little memory there is no picture; other
    /// models take the same.
    growing_blocks,
}

/// The environment variable that names the switches to turn off.
pub(super) const WITHOUT: &str = "SKINSCOPE_SOFTWARE_WITHOUT";

#[cfg(test)]
mod card_tests;

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
        assert_eq!(Software::of(D::Cpu, "all"), Software::default());
    }
}
