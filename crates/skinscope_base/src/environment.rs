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
        let is_alone = || std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1);
        if !is_there && is_alone() {
            set(NAME, "/nonexistent");
        }
    }
}

/// Sets a variable of the environment in a process that has one thread.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the environment belongs to all threads")]
fn set(name: &str, value: &str) {
    // SAFETY: The caller has seen that there is no other thread that could read the environment meanwhile.
    unsafe { std::env::set_var(name, value) }
}
