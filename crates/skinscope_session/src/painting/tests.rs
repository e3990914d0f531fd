//! Strokes in a session: one step each, to the bit, and the same as a file of strokes gives.
