//! Reads a Playwright report of a gigabyte that is made while it is read, and says how long it took and how much memory:
//! `cargo run --release -p probity-formats --example large_report -- 1024`
//! (the number is the size in MiB).

use std::io::{self, Read};
use std::time::Instant;

use probity_core::playwright::Gathered;
use probity_formats::playwright::{Part, read};

/// The text of a report, spec by spec, until it is large enough.
struct Made {
    left: u64,
    spec: usize,
    piece: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            if self.ended {
                return Ok(0);
            }
            self.next();
        }
        let some = into.len().min(self.piece.len() - self.at);
        into[..some].copy_from_slice(&self.piece[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}

impl Made {
    fn next(&mut self) {
        let text = if self.left == 0 {
            self.ended = true;
            "{}]}],\"errors\":[],\"stats\":{}}".to_owned()
        } else {
            self.spec += 1;
            let body = "QUJD".repeat(2000);
            format!(
                "{{\"title\":\"SHOP-BIG-{:03} spec\",\"tests\":[{{\"projectName\":\"p\",\"results\":[{{\"status\":\"passed\",\
                 \"duration\":5,\"stdout\":[{{\"text\":\"{body}\"}}],\"attachments\":[{{\"name\":\"log\",\"body\":\"{body}\"}}]}}]}}]}},",
                self.spec % 1000
            )
        };
        self.left = self.left.saturating_sub(text.len() as u64);
        self.piece = text.into_bytes();
        self.at = 0;
    }
}

/// The greatest memory that the process has held, in KiB, where the system says so.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().split(' ').next()?.parse().ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let size: u64 = std::env::args().nth(1).map_or(Ok(1024), |word| word.parse())?;
    let head = b"{\"suites\":[{\"title\":\"f\",\"specs\":[".to_vec();
    let made = Made { left: size * 1024 * 1024, spec: 0, piece: head, at: 0, ended: false };
    let (begun, mut gathered, mut specs) = (Instant::now(), Gathered::default(), 0u64);
    read(made, &mut |part| {
        if let Part::Spec(spec) = part {
            specs += 1;
            gathered.spec(&spec);
        }
    })?;
    let text = format!("{size} MiB, {specs} specs: {:.2?}, peak {:?} KiB\n", begun.elapsed(), peak());
    io::Write::write_all(&mut io::stdout(), text.as_bytes())?;
    Ok(())
}
