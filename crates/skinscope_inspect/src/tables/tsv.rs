//! Tables as text for spreadsheets: a line for each row, tabs between columns.

/// Tab-separated values: the header line first, numbers in as many digits as they need to be read back the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tsv {
    text: String,
    in_row: bool,
}

impl Tsv {
    /// Starts a table with the header line.
    #[must_use]
    pub fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut out = Self::default();
        for title in header {
            out.cell(title);
        }
        out.end_row();
        out
    }

    /// Adds a cell to the row. Tabs and line ends in it would break the table; they become spaces.
    pub fn cell(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.text.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
        self
    }

    /// Adds a cell with a number.
    pub fn number(&mut self, value: impl std::fmt::Display) -> &mut Self {
        use std::fmt::Write;
        self.separate();
        // Writing to a String cannot fail.
        let _infallible = write!(self.text, "{value}");
        self
    }

    /// Adds a cell without a value.
    pub fn blank(&mut self) -> &mut Self {
        self.separate();
        self
    }

    /// Ends the row.
    pub fn end_row(&mut self) {
        self.text.push('\n');
        self.in_row = false;
    }

    /// Returns the bytes so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns whether there is neither a header nor a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the whole table.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if std::mem::replace(&mut self.in_row, true) {
            self.text.push('\t');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_the_same_and_names_cannot_break_the_table() {
        let mut tsv = Tsv::new(["name", "sum", "largest"]);
        tsv.cell("a\tb\nc").number(0.1_f64 + 0.2).number(0.1_f32).end_row();
        tsv.blank().number(7).blank().end_row();
        let text = tsv.into_text();
        assert_eq!(text, "name\tsum\tlargest\na b c\t0.30000000000000004\t0.1\n\t7\t\n");
    }
}
