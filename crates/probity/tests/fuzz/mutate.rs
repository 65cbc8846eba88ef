//! Changes of a document, the same ones for the same seed.

/// SplitMix64: a few lines, the same everywhere, and good enough to choose bytes by.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(
            name.bytes()
                .fold(seed ^ 0x9e37_79b9_7f4a_7c15, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound; 0 where there is none.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }
}

/// No mutant is larger.
const LARGEST: usize = 16 << 10;

/// Bytes that parsers look for.
const TELLING: &[u8] = b"\0\t\n\r \"'#$%&*+,-./0129:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xbf\xc3\xe2\xed\xf4\xff";

/// A changed copy: one to four changes.
pub(crate) fn mutant(from: &[u8], others: &[Vec<u8>], pieces: &[&str], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = from.to_vec();
    for _ in 0..=dice.below(4) {
        change(&mut bytes, others, pieces, dice);
        bytes.truncate(LARGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, others: &[Vec<u8>], pieces: &[&str], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + 1 + dice.below(32)).min(bytes.len());
    let insert = |bytes: &mut Vec<u8>, at: usize, more: &[u8]| drop(bytes.splice(at..at, more.iter().copied()));
    match dice.below(11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < bytes.len() => bytes[at] = TELLING[dice.below(TELLING.len())],
        2 => insert(bytes, at, &[TELLING[dice.below(TELLING.len())]]),
        3 if at < end => drop(bytes.drain(at..end)),
        4 if at < end => {
            let piece = bytes[at..end].to_vec();
            insert(bytes, end, &piece.repeat(1 + dice.below(3)));
        }
        // Deep and long: the same piece many times.
        5 if !pieces.is_empty() => {
            let piece = pieces[dice.below(pieces.len())].as_bytes();
            insert(bytes, at, &piece.repeat(1 + dice.below(200)));
        }
        6 | 7 if !pieces.is_empty() => insert(bytes, at, pieces[dice.below(pieces.len())].as_bytes()),
        8 if !others.is_empty() => {
            let other = &others[dice.below(others.len())];
            let from = dice.below(other.len() + 1);
            let to = (from + dice.below(200)).min(other.len());
            insert(bytes, at, &other[from..to]);
        }
        9 => bytes.truncate(at),
        10 if at < end => bytes[at..end].reverse(),
        _ => insert(bytes, at, &[TELLING[dice.below(TELLING.len())]]),
    }
}
