//! The room of `interp`; see ARCHITECTURE.md.
