//! What this process sets in its environment for the libraries of the system that it uses.

/// Stops libraries of the system from complaining on standard error that `XDG_RUNTIME_DIR` is not set. Call it in a
/// process that opens no window: libraries that look for graphics devices ask for a Wayland display in that folder.
///
/// Does nothing where the variable is set, where the process has more than one thread, or on other systems than Linux.
pub fn look_for_no_display() {
    #[cfg(target_os = "linux")]
    {
        const NAME: &str = "XDG_RUNTIME_DIR";
        let is_there = std::env::var_os(NAME).is_some_and(|path| std::path::Path::new(&path).is_absolute());
        if !is_there && is_alone() {
            set(NAME, "/nonexistent");
        }
    }
}

/// Stops the loader of Vulkan from opening drivers that could find no graphics card, on a system that shows none: those of Mesa that
/// ask the kernel's direct rendering (`/dev/dri`). Each of them is a large library; without them a process starts sooner and takes
/// five megabytes less. Drivers that find their cards in another way, and those that draw on the processor, are opened as ever.
///
/// Does nothing where the environment says anything about drivers, where the process has more than one thread, or on other systems
/// than Linux.
pub fn open_no_drivers_of_missing_cards() {
    #[cfg(target_os = "linux")]
    {
        let says_something = std::env::vars_os().any(|(name, _)| name.as_encoded_bytes().starts_with(b"VK_"));
        if !says_something && !std::path::Path::new("/dev/dri").exists() && is_alone() {
            set("VK_LOADER_DRIVERS_DISABLE", &DRIVERS_OF_CARDS.map(|driver| format!("{driver}_icd*")).join(","));
        }
    }
}

/// The drivers of Mesa that need `/dev/dri`, by the first word of the files that name them to the loader.
#[cfg(target_os = "linux")]
const DRIVERS_OF_CARDS: [&str; 7] = ["radeon", "intel", "intel_hasvk", "nouveau", "asahi", "broadcom", "panfrost"];

/// Returns whether this process has one thread.
#[cfg(target_os = "linux")]
fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Sets a variable of the environment in a process that has one thread.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the environment belongs to all threads")]
fn set(name: &str, value: &str) {
    // SAFETY: The caller has seen that there is no other thread that could read the environment meanwhile.
    unsafe { std::env::set_var(name, value) }
}
