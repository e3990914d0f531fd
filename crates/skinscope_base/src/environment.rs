//! The environment that this process gives to libraries of the system.

/// Keeps libraries of the system from complaining on standard error that there is no `XDG_RUNTIME_DIR`, for a process that opens no
/// window: looking for graphics devices, they ask for a Wayland display there. Does nothing where there is one, where the process has
/// more than one thread, or on other systems than Linux.
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
