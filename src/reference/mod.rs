//! A CPU twin of every kernel, under the same name.
