//! What a judge is asked: one JSON document on its standard input.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Mutation;
use crate::ids::Digest;
use crate::image::{Image, is_png};
use crate::json::{Json, canonical};

/// The name of the protocol, in questions and in answers.
pub const PROTOCOL: &str = "probity/judge/1";
/// The most bytes that a judge is handed in all, before they are written as text.
pub const MOST_HANDED: usize = 32 << 20;

/// What an exhibit is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A picture that is judged.
    Image,
    /// Other evidence that is judged.
    Evidence,
    /// A picture of how it should be.
    Baseline,
}

impl Role {
    /// As the protocol writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Evidence => "evidence",
            Self::Baseline => "baseline",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Image, Self::Evidence, Self::Baseline].into_iter().find(|role| role.as_str() == text)
    }
}

/// Something that a judge is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// What it is there for.
    pub role: Role,
    /// Its media type.
    pub media: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Exhibit {
    /// The same, made bad. `None` where nothing would change, or its pixels cannot be read.
    #[must_use]
    pub fn mutant(&self, mutation: Mutation) -> Option<Self> {
        let bytes = if is_png(&self.bytes) {
            mutation.of_image(&Image::read(&self.bytes).ok()?)?.write().ok()?
        } else {
            mutation.of_text(&self.bytes)?
        };
        Some(Self { bytes, ..self.clone() })
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What must hold.
    pub criterion: String,
    /// What is shown, in order.
    pub exhibits: Vec<Exhibit>,
}

impl Question {
    /// The name of an exhibit: it says nothing of where it came from.
    #[must_use]
    pub fn name(at: usize) -> String {
        format!("x{}", at + 1)
    }

    /// The names of all exhibits.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        (0..self.exhibits.len()).map(Self::name).collect()
    }

    /// Positions of what is judged: the pictures, and without any the other evidence.
    #[must_use]
    pub fn judged(&self) -> Vec<usize> {
        let of = |role: Role| -> Vec<usize> {
            let all = self.exhibits.iter().enumerate();
            all.filter(|(_, exhibit)| exhibit.role == role).map(|(at, _)| at).collect()
        };
        let images = of(Role::Image);
        if images.is_empty() { of(Role::Evidence) } else { images }
    }

    /// The same question with another exhibit at a position.
    #[must_use]
    pub fn with(&self, at: usize, exhibit: Exhibit) -> Self {
        let mut other = self.clone();
        if let Some(place) = other.exhibits.get_mut(at) {
            *place = exhibit;
        }
        other
    }

    /// The document, in canonical form: one question has one digest.
    #[must_use]
    pub fn document(&self, nonce: &str) -> Vec<u8> {
        let exhibits = self.exhibits.iter().enumerate().map(|(at, exhibit)| {
            Json::map([
                ("name", Json::from(Self::name(at))),
                ("role", exhibit.role.as_str().into()),
                ("media", exhibit.media.as_str().into()),
                ("sha256", Digest::of(&exhibit.bytes).into()),
                ("size", exhibit.bytes.len().into()),
                ("data", STANDARD.encode(&exhibit.bytes).into()),
            ])
        });
        let document = Json::map([
            ("protocol", Json::from(PROTOCOL)),
            ("nonce", nonce.into()),
            ("criterion", self.criterion.as_str().into()),
            ("exhibits", Json::list(exhibits)),
        ]);
        // Texts and sizes under 2^53 always have a canonical form.
        canonical(&document).unwrap_or_default()
    }
}
