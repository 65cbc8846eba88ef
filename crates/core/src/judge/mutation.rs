//! Evidence made bad on purpose: what a judge must not pass.

use crate::image::{CHANNELS, Image};

/// How something known to be bad is made of what is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    /// A picture in its most usual colour alone; a text without anything.
    Blank,
    /// The middle of a picture in the opposite colours; a text from its end to its beginning.
    Inverted,
    /// A picture moved by a third, in both directions; a text that begins at its third.
    Shifted,
    /// A picture without the part in which most stands; a text without its middle.
    Removed,
}

/// The busiest of so many parts in each direction is removed from a picture.
const PARTS: usize = 4;

impl Mutation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Blank, Self::Inverted, Self::Shifted, Self::Removed];
    /// As settings write them.
    pub const WORDS: [&'static str; 4] = ["blank", "inverted", "shifted", "removed"];

    /// As settings write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Inverted => "inverted",
            Self::Shifted => "shifted",
            Self::Removed => "removed",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    /// The picture, made bad. `None` where nothing would change.
    #[must_use]
    pub fn of_image(self, image: &Image) -> Option<Image> {
        let mut mutant = image.clone();
        let (width, height) = (image.width() as usize, image.height() as usize);
        match self {
            Self::Blank => {
                let usual = usual(image);
                mutant.pixels_mut().chunks_exact_mut(CHANNELS).for_each(|pixel| pixel.copy_from_slice(&usual));
            }
            Self::Inverted => {
                let middle = |side: usize| side / 4..(side * 3).div_ceil(4).max(1);
                each(&mut mutant, middle(width), middle(height), |pixel| {
                    pixel.iter_mut().take(CHANNELS - 1).for_each(|channel| *channel = 255 - *channel);
                });
            }
            Self::Shifted => {
                let row = image.row();
                mutant.pixels_mut().chunks_exact_mut(row).for_each(|line| line.rotate_left(width / 3 * CHANNELS));
                mutant.pixels_mut().rotate_left(height / 3 * row);
            }
            Self::Removed => {
                let usual = usual(image);
                let (x, y) = busiest(image, &usual);
                each(&mut mutant, part(width, x), part(height, y), |pixel| pixel.copy_from_slice(&usual));
            }
        }
        (mutant != *image).then_some(mutant)
    }

    /// The text, made bad. `None` where nothing would change.
    #[must_use]
    pub fn of_text(self, text: &[u8]) -> Option<Vec<u8>> {
        let mut units = units(text);
        let third = units.len() / 3;
        match self {
            Self::Blank => units.clear(),
            Self::Inverted => units.reverse(),
            Self::Shifted => units.rotate_left(third),
            Self::Removed => drop(units.drain(third..units.len() - third)),
        }
        let mutant = units.concat();
        (mutant != text).then_some(mutant)
    }
}

/// Lines where there are three, else characters, else bytes.
fn units(text: &[u8]) -> Vec<&[u8]> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    match std::str::from_utf8(text) {
        _ if lines.len() >= 3 => lines,
        Ok(text) => text.split_inclusive(|_: char| true).map(str::as_bytes).collect(),
        Err(_) => text.chunks(1).collect(),
    }
}

/// In each channel the value that half of the pixels do not exceed: of a page, its ground.
fn usual(image: &Image) -> [u8; CHANNELS] {
    let mut counts = [[0_u32; 256]; CHANNELS];
    for pixel in image.pixels().chunks_exact(CHANNELS) {
        for (channel, value) in pixel.iter().enumerate() {
            counts[channel][usize::from(*value)] += 1;
        }
    }
    let half = u32::try_from(image.pixels().len() / CHANNELS / 2).unwrap_or(u32::MAX);
    counts.map(|counts| {
        let mut below = 0;
        let at = (0..=u8::MAX).find(|value| {
            below += counts[usize::from(*value)];
            below > half
        });
        at.unwrap_or(u8::MAX)
    })
}

/// The part that differs most from a colour.
fn busiest(image: &Image, usual: &[u8; CHANNELS]) -> (usize, usize) {
    let parts = (0..PARTS).flat_map(|y| (0..PARTS).map(move |x| (x, y)));
    let busy = |(x, y): &(usize, usize)| {
        let columns = part(image.width() as usize, *x);
        let lines = image.pixels().chunks_exact(image.row());
        let lines = lines.skip(part(image.height() as usize, *y).start).take(part(image.height() as usize, *y).len());
        let pixels =
            lines.flat_map(|line| line[columns.start * CHANNELS..columns.end * CHANNELS].chunks_exact(CHANNELS));
        pixels.flat_map(|pixel| pixel.iter().zip(usual).map(|(a, b)| u64::from(a.abs_diff(*b)))).sum::<u64>()
    };
    // Of equals the first.
    parts.rev().max_by_key(busy).unwrap_or_default()
}

/// Columns or lines of a part.
const fn part(side: usize, at: usize) -> std::ops::Range<usize> {
    side * at / PARTS..side * (at + 1) / PARTS
}

/// Changes each pixel of a rectangle.
fn each(image: &mut Image, columns: std::ops::Range<usize>, lines: std::ops::Range<usize>, change: impl Fn(&mut [u8])) {
    let row = image.row();
    for line in image.pixels_mut().chunks_exact_mut(row).skip(lines.start).take(lines.len()) {
        line[columns.start * CHANNELS..columns.end * CHANNELS].chunks_exact_mut(CHANNELS).for_each(&change);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::image::tests::page;

    #[test]
    fn a_page_is_changed_where_it_is_said() {
        let page = page(64, 64);
        let blank = Mutation::Blank.of_image(&page).unwrap();
        assert!(blank.pixels().iter().all(|channel| *channel == 255));
        let inverted = Mutation::Inverted.of_image(&page).unwrap();
        assert_eq!(inverted.pixels()[..page.row() * 16], page.pixels()[..page.row() * 16]);
        assert_eq!(inverted.pixels()[(16 * 64 + 16) * 4..][..4], [0, 0, 0, 255]);
        let shifted = Mutation::Shifted.of_image(&page).unwrap();
        assert_eq!(shifted.pixels()[..4], page.pixels()[(21 * 64 + 21) * 4..][..4]);
        let removed = Mutation::Removed.of_image(&page).unwrap();
        let changed = |image: &Image| image.pixels().iter().zip(page.pixels()).filter(|(a, b)| a != b).count();
        assert!(changed(&removed) > 0 && changed(&removed) < changed(&blank) / 3);
        // In the part that is gone, nothing but ground is left.
        assert!(part(64, 0).all(|y| removed.pixels()[(y * 64 + 16) * 4..(y * 64 + 32) * 4].iter().all(|c| *c == 255)));
    }

    #[test]
    fn what_would_not_change_is_no_mutant() {
        let empty = Image::new(9, 9, vec![7; 9 * 9 * 4]).unwrap();
        for mutation in [Mutation::Blank, Mutation::Shifted, Mutation::Removed] {
            assert_eq!(mutation.of_image(&empty), None, "{mutation:?}");
        }
        assert!(Mutation::Inverted.of_image(&Image::new(1, 1, vec![7; 4]).unwrap()).is_some());
        for mutation in Mutation::ALL {
            assert_eq!(mutation.of_text(b""), None);
            assert_eq!(Mutation::parse(mutation.as_str()), Some(mutation));
        }
        assert_eq!(Mutation::ALL.map(Mutation::as_str), Mutation::WORDS);
        assert_eq!(Mutation::Inverted.of_text(b"aba"), None);
    }

    #[test]
    fn texts_change_by_lines_or_characters() {
        let lines = b"a\nb\nc\n";
        assert_eq!(Mutation::Blank.of_text(lines).unwrap(), b"");
        assert_eq!(Mutation::Inverted.of_text(lines).unwrap(), b"c\nb\na\n");
        assert_eq!(Mutation::Shifted.of_text(lines).unwrap(), b"b\nc\na\n");
        assert_eq!(Mutation::Removed.of_text(lines).unwrap(), b"a\nc\n");
        assert_eq!(Mutation::Inverted.of_text("aé".as_bytes()).unwrap(), "éa".as_bytes());
        assert_eq!(Mutation::Removed.of_text(b"\xff\xfe\xfd").unwrap(), b"\xff\xfd");
    }

    proptest! {
        #[test]
        fn any_picture_can_be_mutated(width in 1_u32..20, height in 1_u32..20, seed: u8) {
            let bytes = (0..width * height * 4).map(|i| (i as u8).wrapping_mul(seed)).collect();
            let image = Image::new(width, height, bytes).unwrap();
            for mutation in Mutation::ALL {
                if let Some(mutant) = mutation.of_image(&image) {
                    prop_assert_eq!((mutant.width(), mutant.height()), (width, height));
                }
            }
        }

        #[test]
        fn any_text_can_be_mutated(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            for mutation in Mutation::ALL {
                prop_assert_ne!(mutation.of_text(&text), Some(text.clone()));
            }
        }
    }
}
