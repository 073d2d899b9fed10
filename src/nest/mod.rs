//! The room of `nest`; see ARCHITECTURE.md.
