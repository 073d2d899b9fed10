//! The room of `cost`; see ARCHITECTURE.md.
