//! The program `starlings`: see the library of this package.

#[cfg(target_os = "linux")]
mod allocator;

fn main() -> std::process::ExitCode {
    starlings_cli::main()
}
