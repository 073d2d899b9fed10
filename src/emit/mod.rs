//! The room of `emit`; see ARCHITECTURE.md.
