//! Pictures as pixels: PNG, read within bounds that are looked at before anything is unpacked (threats.md R21), and written.
//!
//! Only PNG is read: it keeps pixels as they were, so that two pictures can be compared; a picture that was packed with a
//! loss has other pixels each time. Gamma and colour profiles are left out of account, text in the file is not read.

use std::io::Cursor;

use png::{ColorType, Compression, Decoder, Encoder, Transformations};

/// The most pixels of a picture: a page of 1280 columns may be 19,500 lines long.
pub const MOST_PIXELS: u64 = 25_000_000;
/// The longest side of a picture.
pub const LONGEST_SIDE: u32 = 32_768;
/// How a PNG begins.
const MAGIC: &[u8; 8] = b"\x89PNG\r\n\x1a\n";
/// What the reader may keep beside the pixels, in bytes.
const WORKING: usize = 16 << 20;
/// Bytes of a pixel: red, green, blue, alpha.
pub(crate) const CHANNELS: usize = 4;

/// A picture: rows of red, green, blue, alpha, a byte each.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// Why bytes are no picture that can be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageFault {
    /// Not a whole PNG.
    #[error("{0}")]
    Unreadable(String),
    /// More pixels than are read.
    #[error("it has {width} x {height} pixels; at most {MOST_PIXELS} are read, and no side over {LONGEST_SIDE}")]
    TooLarge {
        /// Columns.
        width: u32,
        /// Lines.
        height: u32,
    },
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({} × {})", self.width, self.height)
    }
}

/// Whether bytes begin as a PNG does.
#[must_use]
pub fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl Image {
    /// A picture of these pixels. `None` where their number is another than width × height, or there are none.
    #[must_use]
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        let wanted = u64::from(width) * u64::from(height) * CHANNELS as u64;
        (wanted > 0 && pixels.len() as u64 == wanted).then_some(Self { width, height, pixels })
    }

    /// Reads a PNG. Sixteen bits are cut to eight; of an animation nothing is read.
    ///
    /// # Errors
    /// Bytes that are no whole PNG, and pictures over the bounds.
    pub fn read(bytes: &[u8]) -> Result<Self, ImageFault> {
        let unreadable = |error: png::DecodingError| ImageFault::Unreadable(format!("the PNG cannot be read: {error}"));
        if !is_png(bytes) {
            return Err(ImageFault::Unreadable("it does not begin as a PNG does".to_owned()));
        }
        let limits = png::Limits { bytes: WORKING };
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let (width, height) = decoder.read_header_info().map_err(unreadable)?.size();
        if u64::from(width) * u64::from(height) > MOST_PIXELS || width.max(height) > LONGEST_SIDE {
            return Err(ImageFault::TooLarge { width, height });
        }
        let mut reader = decoder.read_info().map_err(unreadable)?;
        if reader.info().animation_control.is_some() {
            return Err(ImageFault::Unreadable("the PNG is an animation".to_owned()));
        }
        let size = reader.output_buffer_size().ok_or(ImageFault::TooLarge { width, height })?;
        let mut rows = vec![0; size];
        let frame = reader.next_frame(&mut rows).map_err(unreadable)?;
        reader.finish().map_err(unreadable)?;
        rows.truncate(frame.buffer_size());
        let pixels = match frame.color_type {
            ColorType::GrayscaleAlpha => rows.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
            _ => rows,
        };
        Self::new(width, height, pixels)
            .ok_or_else(|| ImageFault::Unreadable("the PNG holds another number of pixels than it says".to_owned()))
    }

    /// As a PNG in which nothing stands but the pixels: the same pixels give the same bytes.
    ///
    /// # Errors
    /// What the writer refuses, as a sentence; no picture of this module is refused.
    pub fn write(&self) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_compression(Compression::Fast);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        writer.write_image_data(&self.pixels).map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())?;
        Ok(out)
    }

    /// Columns.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Lines.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Red, green, blue, alpha of each pixel, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The same, to change them.
    pub(crate) fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// Bytes of a row.
    pub(crate) const fn row(&self) -> usize {
        self.width as usize * CHANNELS
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A white page with dark stripes in the middle of it, as lines of text are.
    pub(crate) fn page(width: u32, height: u32) -> Image {
        let dark = |x: u32, y: u32| y % 4 == 1 && (width / 4..width * 3 / 4).contains(&x) && !x.is_multiple_of(3);
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = points.flat_map(|(x, y)| if dark(x, y) { [20, 30, 40, 255] } else { [255; 4] }).collect();
        Image::new(width, height, pixels).unwrap()
    }

    /// A PNG of another kind than we write.
    fn packed(color: ColorType, depth: png::BitDepth, palette: Option<&[u8]>, rows: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some(palette) = palette {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(rows).unwrap();
        out
    }

    #[test]
    fn what_is_written_reads_back() {
        let page = page(40, 30);
        let bytes = page.write().unwrap();
        assert_eq!(Image::read(&bytes).unwrap(), page);
        assert_eq!(page.write().unwrap(), bytes);
    }

    #[test]
    fn every_kind_of_png_becomes_the_same_pixels() {
        use png::BitDepth::{Eight, One, Sixteen};
        let both = [0, 0, 0, 255, 255, 255, 255, 255];
        for bytes in [
            packed(ColorType::Grayscale, One, None, &[0b0100_0000]),
            packed(ColorType::Grayscale, Eight, None, &[0, 255]),
            packed(ColorType::Grayscale, Sixteen, None, &[0, 0, 255, 255]),
            packed(ColorType::GrayscaleAlpha, Eight, None, &[0, 255, 255, 255]),
            packed(ColorType::Rgb, Eight, None, &[0, 0, 0, 255, 255, 255]),
            packed(ColorType::Indexed, One, Some(&[0, 0, 0, 255, 255, 255]), &[0b0100_0000]),
            packed(ColorType::Rgba, Eight, None, &both),
        ] {
            assert_eq!(Image::read(&bytes).unwrap().pixels(), both, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let whole = page(40, 30).write().unwrap();
        let unreadable = |bytes: &[u8]| matches!(Image::read(bytes), Err(ImageFault::Unreadable(_)));
        assert!(unreadable(b""));
        assert!(unreadable(b"GIF89a"));
        assert!(unreadable(MAGIC));
        for cut in [20, 33, whole.len() / 2, whole.len() - 13] {
            assert!(unreadable(&whole[..cut]), "{cut}");
        }
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        assert!(unreadable(&changed));
    }

    #[test]
    fn a_long_page_is_read_within_the_bounds() {
        let long = Image::new(1280, 4000, vec![200; 1280 * 4000 * CHANNELS]).unwrap();
        assert!(long.pixels().len() > WORKING);
        assert_eq!(Image::read(&long.write().unwrap()), Ok(long));
    }

    #[test]
    fn a_giant_is_refused_by_its_head() {
        let mut bytes = page(4, 4).write().unwrap();
        for (width, height) in [(100_000_u32, 1_u32), (8000, 8000), (u32::MAX >> 1, u32::MAX >> 1)] {
            bytes[16..20].copy_from_slice(&width.to_be_bytes());
            bytes[20..24].copy_from_slice(&height.to_be_bytes());
            let checksum = crc(&bytes[12..29]);
            bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
            assert_eq!(Image::read(&bytes), Err(ImageFault::TooLarge { width, height }));
        }
    }

    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
    }
}
