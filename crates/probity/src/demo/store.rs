//! Orders as files: one JSON file each, named by the order's id, written whole or not at all.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::prices::amount;

/// Digits of an order's id.
const ID_DIGITS: usize = 8;

/// The largest file that is an order, in bytes.
const LARGEST: u64 = 64 << 10;

/// An order as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub id: String,
    pub sku: String,
    pub qty: u32,
    pub total: f64,
    pub currency: String,
    pub note: String,
}

/// How the store keeps money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Money {
    /// As a number of four bytes, cut to cents: 29.97 is 29.96999… there. This is the bug.
    Single,
    /// As whole cents.
    Cents,
}

impl Money {
    /// The cents that come out of the store again.
    fn kept(self, cents: u32) -> u32 {
        match self {
            Self::Cents => cents,
            Self::Single => {
                let column = cents as f32 / 100.0;
                (f64::from(column) * 100.0) as u32
            }
        }
    }
}

/// A folder of orders.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    money: Money,
}

impl Store {
    /// A store in a folder, which is made where it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn open(folder: PathBuf, money: Money) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, money })
    }

    /// Keeps an order of so many cents.
    ///
    /// # Errors
    /// When it cannot be written; then nothing is there.
    pub(crate) fn put(&self, order: &Stored, cents: u32) -> io::Result<()> {
        let path = file(&self.folder, &order.id).ok_or(io::ErrorKind::InvalidInput)?;
        let stored = Stored { total: amount(self.money.kept(cents)), ..order.clone() };
        let unfinished = self.folder.join(format!(".{}", order.id));
        fs::write(&unfinished, serde_json::to_vec(&stored)?)?;
        fs::rename(&unfinished, path)
    }

    /// Forgets an order, if it is there.
    pub(crate) fn remove(&self, id: &str) {
        if let Some(path) = file(&self.folder, id) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Why an order cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The id is none: only ids name files.
    #[error("this is no id of an order: eight digits or letters from a to f")]
    NoId,
    /// There is no such order.
    #[error("there is no order {0}")]
    Absent(String),
    /// What is there is no order.
    #[error("order {0} cannot be read")]
    Unreadable(String),
}

/// An order as it stands in a store's folder.
///
/// # Errors
/// When the id is none, or nothing or no order stands under it.
pub(crate) fn read(folder: &Path, id: &str) -> Result<Stored, ReadError> {
    let path = file(folder, id).ok_or(ReadError::NoId)?;
    if !fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file()) {
        return Err(ReadError::Absent(id.to_owned()));
    }
    let unreadable = || ReadError::Unreadable(id.to_owned());
    let mut bytes = Vec::new();
    let open = fs::File::open(&path).map_err(|_| unreadable())?;
    open.take(LARGEST).read_to_end(&mut bytes).map_err(|_| unreadable())?;
    serde_json::from_slice(&bytes).map_err(|_| unreadable())
}

/// The file of an order. An id is digits alone, so that no id leads out of the folder.
fn file(folder: &Path, id: &str) -> Option<PathBuf> {
    let plain = id.len() == ID_DIGITS && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    plain.then(|| folder.join(format!("{id}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: &str) -> Stored {
        let (sku, currency) = ("MUG-1".to_owned(), "EUR".to_owned());
        Stored { id: id.to_owned(), sku, qty: 3, total: 29.97, currency, note: "n".to_owned() }
    }

    #[test]
    fn the_bug_loses_a_cent_and_the_repair_does_not() {
        let dir = tempfile::tempdir().unwrap();
        for (money, total) in [(Money::Single, 29.96), (Money::Cents, 29.97)] {
            let store = Store::open(dir.path().join(format!("{money:?}")), money).unwrap();
            store.put(&order("0a1b2c3d"), 2_997).unwrap();
            let stored = read(&store.folder, "0a1b2c3d").unwrap();
            assert_eq!(stored, Stored { total, ..order("0a1b2c3d") });
            store.remove("0a1b2c3d");
            assert!(matches!(read(&store.folder, "0a1b2c3d"), Err(ReadError::Absent(_))));
            assert_eq!(fs::read_dir(&store.folder).unwrap().count(), 0);
        }
    }

    #[test]
    fn only_ids_name_files() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path().join("orders"), Money::Cents).unwrap();
        fs::write(dir.path().join("0a1b2c3d.json"), serde_json::to_vec(&order("0a1b2c3d")).unwrap()).unwrap();
        fs::write(store.folder.join("ffffffff.json"), "{").unwrap();
        std::os::unix::fs::symlink("../0a1b2c3d.json", store.folder.join("00000000.json")).unwrap();
        let long = "a".repeat(5_000);
        for id in ["", ".", "..", "../0a1b2c3d", "/0a1b2c3", "0A1B2C3D", "0a1b2c3", "0a1b2c3d.json", "a\0b1c2d3", &long]
        {
            assert!(matches!(read(&store.folder, id), Err(ReadError::NoId)), "{id:?}");
            assert!(store.put(&order(id), 1).is_err(), "{id:?}");
        }
        assert!(matches!(read(&store.folder, "00000000"), Err(ReadError::Absent(_))), "links are not followed");
        assert!(matches!(read(&store.folder, "ffffffff"), Err(ReadError::Unreadable(_))));
    }
}
