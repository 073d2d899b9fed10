//! The room of `sketch`; see ARCHITECTURE.md.
