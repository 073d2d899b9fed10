//! The room of `egraph`; see ARCHITECTURE.md.
