//! Small local buffers become variables.
