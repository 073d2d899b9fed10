//! The room of `cli`; see ARCHITECTURE.md.
