//! The judge that needs no model: a picture against its baseline, pixel by pixel.
//!
//! A pixel differs where one of its four channels differs by more than a threshold. What counts is the share of differing
//! pixels among those outside the masks, in parts of a million. All of it is whole numbers, so it is the same everywhere.

use crate::image::{CHANNELS, Image};

/// A million.
const MILLION: u64 = 1_000_000;

/// A rectangle in which nothing is compared, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Columns to its left.
    pub x: u32,
    /// Lines above it.
    pub y: u32,
    /// Its columns.
    pub width: u32,
    /// Its lines.
    pub height: u32,
}

impl Mask {
    /// Reads `X,Y,WIDTH,HEIGHT`. `None` for anything else, and for a rectangle without a pixel.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
        match numbers[..] {
            [x, y, width, height] if width > 0 && height > 0 => Some(Self { x, y, width, height }),
            _ => None,
        }
    }

    /// Columns of a line that it covers.
    fn covers(&self, line: u32) -> Option<std::ops::Range<u32>> {
        let below = self.y.saturating_add(self.height);
        (self.y..below).contains(&line).then(|| self.x..self.x.saturating_add(self.width))
    }
}

/// How two pictures are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// A channel may differ by so much of 255.
    pub threshold: u8,
    /// So many pixels of a million may differ.
    pub most: u32,
    /// Where nothing is compared.
    pub masks: Vec<Mask>,
}

impl Default for Measure {
    /// A sixteenth of a channel; a thousandth of the pixels; everywhere.
    fn default() -> Self {
        Self { threshold: 16, most: 1_000, masks: Vec::new() }
    }
}

/// What a comparison gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The pictures have different sizes: columns and lines of the picture, then of its baseline.
    Sizes([u32; 4]),
    /// Every pixel is masked.
    Nothing,
    /// So many pixels were compared, and so many of them differ.
    Pixels {
        /// Pixels outside the masks.
        compared: u64,
        /// Those that differ.
        changed: u64,
    },
}

/// A verdict with its certainty in parts of ten thousand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certain {
    /// Whether the picture is like its baseline; `None` where nothing was compared.
    pub alike: Option<bool>,
    /// How certain that is, 0 to 10,000.
    pub certainty: u16,
}

impl Measure {
    /// Compares a picture with its baseline.
    #[must_use]
    pub fn compare(&self, image: &Image, baseline: &Image) -> Compared {
        let size = |image: &Image| (image.width(), image.height());
        if size(image) != size(baseline) {
            return Compared::Sizes([image.width(), image.height(), baseline.width(), baseline.height()]);
        }
        let (mut compared, mut changed) = (0, 0);
        let rows = image.pixels().chunks_exact(image.row()).zip(baseline.pixels().chunks_exact(image.row()));
        for (line, (a, b)) in (0..image.height()).zip(rows) {
            let covered: Vec<_> = self.masks.iter().filter_map(|mask| mask.covers(line)).collect();
            let pixels = a.chunks_exact(CHANNELS).zip(b.chunks_exact(CHANNELS));
            for (_, (a, b)) in (0..image.width()).zip(pixels).filter(|(x, _)| !covered.iter().any(|c| c.contains(x))) {
                compared += 1;
                changed += u64::from(self.differs(a, b));
            }
        }
        if compared == 0 { Compared::Nothing } else { Compared::Pixels { compared, changed } }
    }

    /// Where two pictures of one size differ: differing pixels red, masked ones blue, all others faded. `None` for other sizes.
    #[must_use]
    pub fn drawn(&self, image: &Image, baseline: &Image) -> Option<Image> {
        if let Compared::Sizes(_) = self.compare(image, baseline) {
            return None;
        }
        let mut drawn = baseline.clone();
        let (row, width) = (image.row(), image.width());
        let rows = drawn.pixels_mut().chunks_exact_mut(row).zip(image.pixels().chunks_exact(row));
        for (line, (to, from)) in (0..image.height()).zip(rows) {
            let covered: Vec<_> = self.masks.iter().filter_map(|mask| mask.covers(line)).collect();
            for (x, (to, from)) in (0..width).zip(to.chunks_exact_mut(CHANNELS).zip(from.chunks_exact(CHANNELS))) {
                let pixel = if covered.iter().any(|columns| columns.contains(&x)) {
                    [190, 200, 255, 255]
                } else if self.differs(from, to) {
                    [220, 0, 0, 255]
                } else {
                    let gray = to.iter().take(CHANNELS - 1).map(|channel| u16::from(*channel)).sum::<u16>() / 3;
                    let faded = u8::try_from(192 + gray / 4).unwrap_or(u8::MAX);
                    [faded, faded, faded, 255]
                };
                to.copy_from_slice(&pixel);
            }
        }
        Some(drawn)
    }

    fn differs(&self, a: &[u8], b: &[u8]) -> bool {
        a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > self.threshold)
    }

    /// What a comparison comes to. At no change a pass is certain, at twice the bound a failure is, and at the bound either
    /// is worth a half: of `c` changed pixels and a bound of `b`, `1 − c/2b` for a pass and `c/2b` for a failure, rounded down.
    #[must_use]
    pub fn judge(&self, compared: Compared) -> Certain {
        let (compared, changed) = match compared {
            Compared::Nothing => return Certain { alike: None, certainty: 0 },
            Compared::Sizes(_) => return Certain { alike: Some(false), certainty: 10_000 },
            Compared::Pixels { compared, changed } => (compared, changed),
        };
        // Both sides are a million times as large, so that nothing is rounded: 25 million pixels at most.
        let (c, b) = (u128::from(changed) * u128::from(MILLION), u128::from(compared) * u128::from(self.most));
        let alike = c <= b;
        let parts = if b == 0 { 10_000 } else { (if alike { 2 * b - c } else { c }) * 10_000 / (2 * b) };
        Certain { alike: Some(alike), certainty: u16::try_from(parts.min(10_000)).unwrap_or(10_000) }
    }
}

impl Compared {
    /// Changed pixels of a million, rounded up: one changed pixel is never none.
    #[must_use]
    pub fn changed_ppm(&self) -> Option<u64> {
        match self {
            Self::Pixels { compared, changed } => Some((changed * MILLION).div_ceil(*compared)),
            Self::Sizes(_) | Self::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::image::tests::page;

    fn with(image: &Image, pixels: usize, by: u8) -> Image {
        let mut other = image.clone();
        for pixel in other.pixels_mut().chunks_exact_mut(CHANNELS).take(pixels) {
            pixel[1] = pixel[1].wrapping_sub(by);
        }
        other
    }

    #[test]
    fn a_channel_may_differ_by_the_threshold_and_no_more() {
        let (page, measure) = (page(100, 100), Measure::default());
        assert_eq!(measure.compare(&page, &page), Compared::Pixels { compared: 10_000, changed: 0 });
        assert_eq!(measure.compare(&with(&page, 7, 16), &page), Compared::Pixels { compared: 10_000, changed: 0 });
        let seven = measure.compare(&with(&page, 7, 17), &page);
        assert_eq!(seven, Compared::Pixels { compared: 10_000, changed: 7 });
        assert_eq!(seven.changed_ppm(), Some(700));
    }

    #[test]
    fn a_pass_and_a_failure_meet_at_the_bound() {
        let measure = Measure::default();
        let at = |changed: u64| measure.judge(Compared::Pixels { compared: 10_000, changed });
        for (changed, alike, certainty) in
            [(0, true, 10_000), (5, true, 7_500), (10, true, 5_000), (11, false, 5_500), (20, false, 10_000)]
        {
            assert_eq!(at(changed), Certain { alike: Some(alike), certainty }, "{changed}");
        }
        assert_eq!(at(10_000), Certain { alike: Some(false), certainty: 10_000 });
        let none = Measure { most: 0, ..Measure::default() };
        assert_eq!(none.judge(Compared::Pixels { compared: 9, changed: 1 }).alike, Some(false));
        assert_eq!(none.judge(Compared::Pixels { compared: 9, changed: 0 }).certainty, 10_000);
    }

    #[test]
    fn other_sizes_fail_and_a_mask_over_all_says_nothing() {
        let measure = Measure::default();
        let sizes = measure.compare(&page(10, 10), &page(10, 11));
        assert_eq!(sizes, Compared::Sizes([10, 10, 10, 11]));
        assert_eq!(measure.judge(sizes), Certain { alike: Some(false), certainty: 10_000 });
        let all = Measure { masks: vec![Mask::parse("0,0,4000000000,4000000000").unwrap()], ..Measure::default() };
        assert_eq!(all.compare(&page(10, 10), &page(10, 10)), Compared::Nothing);
        assert_eq!(all.judge(Compared::Nothing).alike, None);
    }

    #[test]
    fn a_drawing_shows_what_was_counted() {
        let (page, mut measure) = (page(40, 40), Measure::default());
        measure.masks = vec![Mask::parse("0,0,3,1").unwrap()];
        let drawn = measure.drawn(&with(&page, 5, 90), &page).unwrap();
        let of = |colour: [u8; 4]| drawn.pixels().chunks_exact(CHANNELS).filter(|pixel| *pixel == colour).count();
        assert_eq!((of([220, 0, 0, 255]), of([190, 200, 255, 255]), of([255; 4]) > 1000), (2, 3, true));
        assert_eq!(measure.drawn(&page, &crate::image::tests::page(40, 41)), None);
    }

    #[test]
    fn what_is_masked_is_not_compared() {
        let (page, mut measure) = (page(100, 100), Measure::default());
        let changed = with(&page, 50, 90);
        measure.masks = vec![Mask::parse("0, 0, 49, 1").unwrap(), Mask::parse("10,0,20,50").unwrap()];
        let compared = measure.compare(&changed, &page);
        assert_eq!(compared, Compared::Pixels { compared: 10_000 - 49 - 20 * 49, changed: 1 });
        for bad in ["", "1,2,3", "1,2,0,4", "1,2,3,-4", "1,2,3,4,5", "a,b,c,d"] {
            assert_eq!(Mask::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn more_change_is_never_more_alike(compared in 1_u64..30_000_000, a in 0_u64..1000, b in 0_u64..1000, most in 0_u32..1_000_000) {
            let measure = Measure { most, ..Measure::default() };
            let (less, more) = (a.min(b).min(compared), a.max(b).min(compared));
            let at = |changed| measure.judge(Compared::Pixels { compared, changed });
            // As a probability that the picture is like its baseline.
            let alike = |certain: Certain| if certain.alike == Some(true) { i32::from(certain.certainty) } else { 10_000 - i32::from(certain.certainty) };
            prop_assert!(alike(at(less)) + 1 >= alike(at(more)));
            prop_assert!(!(at(more).alike == Some(true) && at(less).alike == Some(false)));
        }
    }
}
