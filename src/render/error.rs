//! What can go wrong on the way to a picture, in words for people. Knows nothing of how it came about.

/// The reasons why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// Nothing to render with.
    #[error(
        "no graphics adapter was found (tried {tried}). Install a graphics driver; without a graphics card a software one does \
         (Debian, Ubuntu: apt install mesa-vulkan-drivers). Details: {details}"
    )]
    NoAdapter {
        /// Interfaces.
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
        /// Its name.
        adapter: String,
        /// The features and limits that are missing.
        reason: String,
    },
    /// A model or a picture that is too large for the adapter.
    #[error("{what} takes {need}, and this graphics adapter allows {limit}")]
    TooLarge {
        /// Such as "the palette (9000 joints)".
        what: String,
        /// With its unit.
        need: String,
        /// With its unit.
        limit: String,
    },
    /// Memory is short.
    #[error(
        "the graphics adapter ran out of memory for {0}; ask for a smaller picture or a smaller model, or close other programs"
    )]
    OutOfMemory(String),
    /// The device has gone; a new one is needed.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// Lost, and no other took its place.
    #[error("the graphics device was lost ({reason}) and could not be replaced: {details}")]
    Irreplaceable {
        /// The reason of the loss.
        reason: String,
        /// The message about the new device.
        details: String,
    },
    /// The device reported an error.
    #[error("the picture may be incomplete, because the graphics driver refused a command: {0}")]
    Device(String),
}

impl GpuError {
    /// The same, for a part that is known by name.
    pub(super) fn of(self, what: &str) -> Self {
        match self {
            Self::OutOfMemory(_) => Self::OutOfMemory(what.to_owned()),
            Self::Device(text) => Self::Device(format!("{what}: {text}")),
            other => other,
        }
    }

    /// True where less to hold would help. A driver that has no room for what is on its way to a texture loses the device.
    #[must_use]
    pub fn is_of_memory(&self) -> bool {
        match self {
            Self::OutOfMemory(_) => true,
            Self::Lost(reason) => reason.to_lowercase().contains("memory"),
            _ => false,
        }
    }

    /// A device that went without saying why.
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

/// The causes after one another, without the headings that stand between them.
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
