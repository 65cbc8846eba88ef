//! Writes views into a run folder as they come, piece by piece.

use probity_core::views::{Taker, Written};
use probity_store::StoreError;
use probity_store::run::View;

/// Takes views and writes each to where `begin` opens it. After a fault nothing more is written.
pub(super) struct Writing<'f, B> {
    begin: B,
    at: Option<View<'f>>,
    written: Result<Vec<Written>, StoreError>,
}

impl<'f, B: Fn(&str) -> Result<View<'f>, StoreError>> Writing<'f, B> {
    pub(super) const fn new(begin: B) -> Self {
        Self { begin, at: None, written: Ok(Vec::new()) }
    }

    /// What was written.
    pub(super) fn finish(self) -> Result<Vec<Written>, StoreError> {
        self.written
    }

    fn note(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            (self.at, self.written) = (None, Err(error));
        }
    }
}

impl<'f, B: Fn(&str) -> Result<View<'f>, StoreError>> Taker for Writing<'f, B> {
    fn begin(&mut self, name: &str) {
        if self.written.is_ok() {
            match (self.begin)(name) {
                Ok(view) => self.at = Some(view),
                Err(error) => self.note(Err(error)),
            }
        }
    }

    fn piece(&mut self, bytes: &[u8]) {
        if let Some(view) = &mut self.at {
            let result = view.write(bytes);
            self.note(result);
        }
    }

    fn end(&mut self, view: Written) {
        if let Some(at) = self.at.take() {
            self.note(at.finish());
        }
        if let Ok(written) = &mut self.written {
            written.push(view);
        }
    }
}
