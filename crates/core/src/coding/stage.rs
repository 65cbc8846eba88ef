//! One content coding undone as it is read. What came before an error is given first.

use std::io::{self, BufRead, BufReader, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window of a zstd frame, in bytes: RFC 9659 allows no more in HTTP, and a decoder sets it aside.
const MAX_WINDOW: u64 = 8 << 20;

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

    /// The bytes of `input` with the coding undone. Input that is not in the coding, or not all of it, is an error
    /// where it is read.
    pub(super) fn undone<'a>(self, input: impl Read + 'a) -> Box<dyn Read + 'a> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(input)),
            Self::Deflate => Box::new(ZlibDecoder::new(input)),
            Self::Brotli => Box::new(Brotli::of(input)),
            Self::Zstd => Box::new(Zstd { input: BufReader::new(input), frame: None }),
        }
    }
}

fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

struct Brotli<R> {
    input: BufReader<R>,
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    total: usize,
    ended: bool,
}

impl<R: Read> Brotli<R> {
    fn of(input: R) -> Self {
        let alloc = StandardAlloc::default;
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Self { input: BufReader::new(input), state, total: 0, ended: false }
    }
}

impl<R: Read> Read for Brotli<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            let given = self.input.fill_buf()?;
            let dry = given.is_empty();
            let (mut left, mut at) = (given.len(), 0);
            let (mut room, mut filled) = (out.len(), 0);
            let came = BrotliDecompressStream(
                &mut left,
                &mut at,
                given,
                &mut room,
                &mut filled,
                out,
                &mut self.total,
                &mut self.state,
            );
            self.input.consume(at);
            self.ended = matches!(came, BrotliResult::ResultSuccess);
            match came {
                _ if filled > 0 => return Ok(filled),
                BrotliResult::ResultFailure => return Err(broken("it is damaged")),
                BrotliResult::NeedsMoreInput if dry => return Err(broken("it breaks off")),
                BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput | BrotliResult::ResultSuccess => {}
            }
        }
        if self.input.fill_buf()?.is_empty() { Ok(0) } else { Err(broken("bytes follow its end")) }
    }
}

struct Zstd<R> {
    input: BufReader<R>,
    /// The frame that is being read.
    frame: Option<FrameDecoder>,
}

impl<R: Read> Zstd<R> {
    /// Begins the next frame, or goes past one that is to be skipped.
    fn begin(&mut self) -> io::Result<()> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(MAX_WINDOW);
        match frame.init(&mut self.input) {
            Ok(()) => self.frame = Some(frame),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = u64::from(length);
                if io::copy(&mut (&mut self.input).take(length), &mut io::sink())? < length {
                    return Err(broken("it breaks off"));
                }
            }
            Err(e) => return Err(broken(e.to_string())),
        }
        Ok(())
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                while frame.can_collect() == 0 && !frame.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    frame.decode_blocks(&mut self.input, one).map_err(|e| broken(e.to_string()))?;
                }
                let count = frame.read(out)?;
                if count > 0 {
                    return Ok(count);
                }
                // A frame without a checksum has none to differ.
                if frame.get_checksum_from_data().is_some_and(|said| Some(said) != frame.get_calculated_checksum()) {
                    return Err(broken("its checksum does not fit"));
                }
                self.frame = None;
            } else if self.input.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.begin()?;
            }
        }
    }
}
