//! A tar archive (POSIX ustar) whose bytes depend on names and contents alone: sorted, one time, no owner.

/// A file in an archive.
pub(crate) struct Entry {
    name: String,
    bytes: Vec<u8>,
    mode: u32,
}

impl Entry {
    /// A file that is read.
    pub(crate) fn file(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), bytes, mode: 0o644 }
    }

    /// A file that is run.
    pub(crate) fn program(name: &str, bytes: Vec<u8>) -> Self {
        Self { mode: 0o755, ..Self::file(name, bytes) }
    }
}

/// The archive: all files below one folder, with one time in seconds since 1970.
pub(crate) fn archive(folder: &str, mut entries: Vec<Entry>, time: u64) -> Result<Vec<u8>, String> {
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let mut out = Vec::new();
    for entry in &entries {
        out.extend(header(&format!("{folder}/{}", entry.name), entry, time)?);
        out.extend_from_slice(&entry.bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    Ok(out)
}

fn header(name: &str, entry: &Entry, time: u64) -> Result<[u8; 512], String> {
    if name.len() > 100 {
        return Err(format!("{name} is too long for an archive"));
    }
    let mut block = [0; 512];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, &format!("{:07o}", entry.mode));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{:011o}", entry.bytes.len()));
    put(136, &format!("{time:011o}"));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(reversed: bool) -> Vec<Entry> {
        let mut all = vec![Entry::file("b/text", b"two".to_vec()), Entry::program("a", vec![7; 600])];
        if reversed {
            all.reverse();
        }
        all
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let one = archive("x-1", entries(false), 1_700_000_000).unwrap();
        assert_eq!(one, archive("x-1", entries(true), 1_700_000_000).unwrap());
        assert_ne!(one, archive("x-1", entries(false), 1_700_000_001).unwrap());
        assert_eq!(one.len(), 512 + 1024 + 512 + 512 + 1024);
        assert!(archive(&"x".repeat(100), entries(false), 0).is_err());
    }

    #[test]
    fn tar_reads_what_was_packed() {
        let folder = std::env::temp_dir().join(format!("probity-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("x.tar");
        std::fs::write(&file, archive("x-1", entries(false), 1_700_000_000).unwrap()).unwrap();
        let words = ["--utc", "-tvf", file.to_str().unwrap()];
        let output = std::process::Command::new("tar").args(words).env("LC_ALL", "C").output().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let listing = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Vec<&str>> = listing.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows.len(), 2, "{listing}");
        assert_eq!((rows[0][0], rows[0][1], rows[0][2], rows[0][5]), ("-rwxr-xr-x", "0/0", "600", "x-1/a"));
        assert_eq!((rows[1][0], rows[1][3], rows[1][5]), ("-rw-r--r--", "2023-11-14", "x-1/b/text"));
    }
}
