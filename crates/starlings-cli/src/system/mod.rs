//! What the program asks of the system around it, in C: the heap of the C library, and X servers that end or refuse.
//! The only unsafe code of this library.

#![allow(unsafe_code)]

pub mod heap;
pub mod libraries;
pub mod presented;
pub mod xlib;
