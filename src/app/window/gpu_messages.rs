//! Messages of the graphics device for the user, without repeating one in every frame.

/// Messages about the GPU: each is given once until a frame went well, and only so many.
#[derive(Default)]
pub(crate) struct GpuMessages {
    reported: Vec<String>,
    pending: Vec<String>,
}

impl GpuMessages {
    const MOST: usize = 8;

    pub fn add(&mut self, message: String) {
        if self.reported.len() < Self::MOST && !self.reported.contains(&message) {
            self.reported.push(message.clone());
            self.pending.push(message);
        }
    }

    pub fn take(&mut self) -> Option<String> {
        (!self.pending.is_empty()).then(|| std::mem::take(&mut self.pending).join("\n"))
    }

    /// Forgets what was reported, since a frame went well: messages from here on are new.
    pub fn forget(&mut self) {
        self.reported.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_made_once_until_all_was_well_and_never_floods() {
        let mut messages = GpuMessages::default();
        for _frame in 0..3 {
            messages.add("no room".into());
        }
        assert_eq!(messages.take().as_deref(), Some("no room"));
        messages.add("no room".into());
        assert_eq!(messages.take(), None);
        messages.forget();
        messages.add("no room".into());
        messages.add("no light".into());
        assert_eq!(messages.take().as_deref(), Some("no room\nno light"));
        (0..100).for_each(|n| messages.add(format!("error {n}")));
        assert_eq!(messages.take().unwrap().lines().count(), GpuMessages::MOST - 2);
    }
}
