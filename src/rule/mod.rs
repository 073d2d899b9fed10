//! The room of `rule`; see ARCHITECTURE.md.
