//! The room of `syntax`; see ARCHITECTURE.md.
