//! The words of enumerations among whose values a user chooses.

/// Gives an enumeration the list of its values, and its words: between braces the functions that return them, each with its column; then a row
/// for each value.
#[macro_export]
macro_rules! choices {
    (
        $name:ident { $($(#[$doc:meta])* $function:ident = $column:literal;)+ }
        $($variant:ident: $($word:literal),+;)+
    ) => {
        impl $name {
            /// All of them, in their order.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            const fn words(self) -> [&'static str; [$(stringify!($function)),+].len()] {
                match self {
                    $(Self::$variant => [$($word),+],)+
                }
            }

            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $function(self) -> &'static str {
                    self.words()[$column]
                }
            )+
        }
    };
}
