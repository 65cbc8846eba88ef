//! One content coding undone, up to a number of bytes. What came before an error stays in the buffer.

use std::io::{self, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// The largest window of a zstd frame, in bytes: RFC 9659 allows no more in HTTP, and a decoder sets it aside.
const MAX_WINDOW: u64 = 8 << 20;

/// How much brotli writes at a time, in bytes.
const CHUNK: usize = 64 << 10;

/// A content coding of the registry of RFC 9110.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// RFC 1952; several members are one body.
    Gzip,
    /// RFC 1950, as RFC 9110 has it.
    Deflate,
    /// RFC 7932, without large windows.
    Brotli,
    /// RFC 8878; several frames are one body.
    Zstd,
}

impl Coding {
    /// The coding of that name, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            "br" => Some(Self::Brotli),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// As headers name it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }

    /// Undoes it into `out`, which takes at most `most` bytes; then the rest of the input is not looked at.
    ///
    /// # Errors
    /// Input that is not in the coding, or not all of it.
    pub(super) fn undo(self, input: &[u8], out: &mut Vec<u8>, most: u64) -> io::Result<()> {
        match self {
            Self::Gzip => MultiGzDecoder::new(input).take(most).read_to_end(out).map(drop),
            Self::Deflate => ZlibDecoder::new(input).take(most).read_to_end(out).map(drop),
            Self::Brotli => brotli(input, out, usize::try_from(most).unwrap_or(usize::MAX)),
            Self::Zstd => zstd(input, out, most),
        }
    }
}

fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

fn brotli(input: &[u8], out: &mut Vec<u8>, most: usize) -> io::Result<()> {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let mut chunk = vec![0; CHUNK];
    let (mut left, mut at, mut total) = (input.len(), 0, 0);
    loop {
        let (mut room, mut filled) = (chunk.len(), 0);
        let ended = BrotliDecompressStream(
            &mut left,
            &mut at,
            input,
            &mut room,
            &mut filled,
            &mut chunk,
            &mut total,
            &mut state,
        );
        out.extend(chunk.iter().take(filled.min(most - out.len())));
        match ended {
            _ if out.len() >= most => return Ok(()),
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left == 0 => return Ok(()),
            BrotliResult::ResultSuccess => return Err(broken("bytes follow its end")),
            BrotliResult::NeedsMoreInput => return Err(broken("it breaks off")),
            BrotliResult::ResultFailure => return Err(broken("it is damaged")),
        }
    }
}

fn zstd(mut input: &[u8], out: &mut Vec<u8>, most: u64) -> io::Result<()> {
    while !input.is_empty() {
        let mut frame = match StreamingDecoder::new_with_max_window_size(&mut input, MAX_WINDOW) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                input = input.get(length..).ok_or_else(|| broken("it breaks off"))?;
                continue;
            }
            Err(e) => return Err(broken(e.to_string())),
        };
        let room = most.saturating_sub(out.len() as u64);
        (&mut frame).take(room).read_to_end(out)?;
        if out.len() as u64 >= most {
            return Ok(());
        }
        let decoder = frame.into_frame_decoder();
        // A frame without a checksum has none to differ.
        if decoder.get_checksum_from_data().is_some_and(|said| Some(said) != decoder.get_calculated_checksum()) {
            return Err(broken("its checksum does not fit"));
        }
    }
    Ok(())
}
