//! The room of `search`; see ARCHITECTURE.md.
