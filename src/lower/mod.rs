//! The room of `lower`; see ARCHITECTURE.md.
