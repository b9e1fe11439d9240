//! Inputs changed at random, the same in each run.

/// Inputs longer than this are cut: the time of a parser is that of its input's length.
const LONGEST: usize = 1 << 16;

/// Words and numbers that parsers treat in a way of their own.
const PIECES: [&[u8]; 24] = [
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x80",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"99999999999999999999",
    b"-1",
    b"1e999",
    b"nan",
    b"inf",
    b"4294967296",
    b"2^64",
    b"0,0,0",
    b"PK\x03\x04",
    b"PK\x06\x07",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }",
    b"\x1b[2J\x07",
    b"\xe2\x80\xae",
    b"\xc2\x9b31m",
    b"\n",
    b"\r",
    b"= ",
    b"\"\"\"",
    b"--",
];

/// What opens another level, which parsers may follow by recursion.
const OPENERS: [&[u8]; 4] = [b"[", b"{\"a\":", b"a.", b"{a="];

/// A source of changed inputs.
pub struct Mutations(u64);

impl Mutations {
    pub fn new(seed: u64) -> Mutations {
        Mutations(seed << 40)
    }

    /// The finalizer of splitmix64, of the count of numbers so far.
    fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        let mut bits = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % most.max(1) as u64) as usize
    }

    pub fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// One of `seeds`, changed in one to four places.
    pub fn of(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes, seeds);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len());
        match self.below(9) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            2 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            3 => {
                let end = (at + self.below(40)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
            4 => {
                // The beginning of one and the end of another.
                let other = &seeds[self.below(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.below(other.len())..]);
            }
            5 => {
                let end = (at + 1 + self.below(64)).min(bytes.len());
                let again = bytes[at.min(end)..end].repeat(1 + self.below(30));
                bytes.splice(at..at, again);
            }
            6 => {
                let opener = OPENERS[self.below(OPENERS.len())].repeat(1 + self.below(9_000));
                bytes.splice(at..at, opener);
            }
            kind => {
                let piece = PIECES[self.below(PIECES.len())];
                let end = if kind == 7 { at } else { (at + piece.len()).min(bytes.len()) };
                bytes.splice(at..end.max(at), piece.iter().copied());
            }
        }
    }
}
