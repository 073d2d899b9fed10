//! The room of `exec`; see ARCHITECTURE.md.
