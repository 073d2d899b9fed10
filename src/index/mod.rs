//! The room of `index`; see ARCHITECTURE.md.
