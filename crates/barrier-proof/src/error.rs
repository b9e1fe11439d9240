//! What this crate can fail at.

/// Why a shader cannot be analyzed. All else that a proof finds is a finding, and a program's own errors are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program has no such module.
    #[error("there is no such module")]
    NoModule,
    /// Its words end within an instruction.
    #[error("its SPIR-V is cut off")]
    CutOff,
    /// An instruction that is not in the specification.
    #[error("its instruction {0} is not known")]
    Instruction(u32),
    /// More functions than the entry point: the compiler has to inline them.
    #[error("it has a function that was not inlined")]
    Functions,
    /// The Vulkan memory model: its accesses are private unless they say otherwise.
    #[error("it declares the Vulkan memory model, whose private accesses are not followed")]
    MemoryModel,
    /// A label that does not exist.
    #[error("a branch leads nowhere")]
    Branch,
    /// A block without a last instruction.
    #[error("a block of it has no end")]
    Block,
    /// The resource that a pointer leads to is not named.
    #[error("it accesses memory that is not found: %{0}")]
    Memory(u32),
    /// A storage image.
    #[error("it writes to a storage image, which is not analyzed")]
    StorageImage,
    /// A loop that depends on values in memory, or is too long.
    #[error("a loop of it has no known end")]
    Loop,
    /// A switch that depends on a value in memory.
    #[error("a value from memory selects a case of it")]
    Switch,
}
