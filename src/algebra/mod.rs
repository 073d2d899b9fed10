//! The room of `algebra`; see ARCHITECTURE.md.
