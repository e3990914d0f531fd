//! The errors of rendering, with messages for people. This module does not know where they come from.

/// The reasons why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// There is no adapter to render with.
    #[error(
        "no graphics adapter was found (tried {tried}). Install a graphics driver; without a graphics card a software one does \
         (Debian, Ubuntu: apt install mesa-vulkan-drivers). Details: {details}"
    )]
    NoAdapter {
        /// The graphics interfaces that were tried.
        tried: &'static str,
        /// The message of the driver loader.
        details: String,
    },
    /// The window cannot be drawn on.
    #[error(
        "the window cannot be drawn on: {details}. Install a graphics driver (Debian, Ubuntu: apt install mesa-vulkan-drivers), or try another backend (--backend gl); `skinscope render MODEL -o picture.png` needs no window"
    )]
    NoSurface {
        /// The message of the driver.
        details: String,
    },
    /// The adapter cannot do what the renderer needs.
    #[error("the graphics adapter \"{adapter}\" cannot be used: {reason}. Try another backend or a newer driver")]
    Unfit {
        /// The name of the adapter.
        adapter: String,
        /// The features and limits that are missing.
        reason: String,
    },
    /// A model or a picture that is too large for the adapter.
    #[error("{what} takes {need}, and this graphics adapter allows {limit}")]
    TooLarge {
        /// What is too large, such as "the palette (9000 joints)".
        what: String,
        /// How much it takes, with the unit.
        need: String,
        /// How much the adapter allows, with the unit.
        limit: String,
    },
    /// The adapter is out of memory; holds what the memory was for.
    #[error(
        "the graphics adapter ran out of memory for {0}; ask for a smaller picture or a smaller model, or close other programs"
    )]
    OutOfMemory(String),
    /// The device was lost and a new one is needed; holds the reason.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// The device was lost, and no new one could be opened.
    #[error("the graphics device was lost ({reason}) and could not be replaced: {details}")]
    Irreplaceable {
        /// Why the device was lost.
        reason: String,
        /// Why no new device could be opened.
        details: String,
    },
    /// The device reported another error; holds the message.
    #[error("the picture may be incomplete, because the graphics driver refused a command: {0}")]
    Device(String),
}

impl GpuError {
    /// The same error, with `what` as the name of the part that it concerns.
    pub(super) fn of(self, what: &str) -> Self {
        match self {
            Self::OutOfMemory(_) => Self::OutOfMemory(what.to_owned()),
            Self::Device(text) => Self::Device(format!("{what}: {text}")),
            other => other,
        }
    }

    /// True where the error could be avoided by using less memory. That includes the loss of a device with a message
    /// about memory: some drivers lose the device when they have no room for data on its way to a texture.
    #[must_use]
    pub fn is_of_memory(&self) -> bool {
        match self {
            Self::OutOfMemory(_) => true,
            Self::Lost(reason) => reason.to_lowercase().contains("memory"),
            _ => false,
        }
    }

    /// The error of a device that was lost for `reason`; an empty reason means that it was shut down.
    pub(super) fn lost(reason: &str) -> Self {
        let reason = if reason.is_empty() { "it was shut down" } else { reason };
        Self::Lost(one_line(reason))
    }
}

impl From<wgpu::Error> for GpuError {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory("the picture".into()),
            other => Self::Device(one_line(&other.to_string())),
        }
    }
}

/// Joins the causes in a message of wgpu into one line, without the headings that stand between them.
fn one_line(text: &str) -> String {
    let is_heading =
        |l: &&str| l.is_empty() || ["Validation Error", "Internal Error", "Caused by:"].iter().any(|h| l.ends_with(h));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !is_heading(l)).collect();
    lines.join("; ").replace(":; ", ": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_line() {
        let text = "Validation Error\n\nCaused by:\n  In Device::create_bind_group, label = 'frame'\n    Buffer is too small\n";
        assert_eq!(one_line(text), "In Device::create_bind_group, label = 'frame'; Buffer is too small");
        let panic = "Error in Device::poll: Validation Error\n\nCaused by:\n  Parent device is lost\n";
        assert_eq!(GpuError::lost(panic), GpuError::Lost("Parent device is lost".into()));
        assert_eq!(GpuError::lost("").to_string(), "the graphics device was lost: it was shut down");
        let named = GpuError::OutOfMemory("the picture".into()).of("mesh 3, primitive 1: its vertices").to_string();
        assert!(named.contains("out of memory for mesh 3, primitive 1: its vertices;"), "{named}");
    }
}
