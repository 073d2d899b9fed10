//! The room of `report`; see ARCHITECTURE.md.
