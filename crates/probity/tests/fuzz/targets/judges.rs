//! What judges answer, and the pictures that they are shown.

use probity_core::image::Image;
use probity_core::judge::{Answer, Exhibit, Mutation, Role};
use probity_core::verdict::QaVerdict;

pub(crate) const ANSWER: &[&str] = &[
    "{\"protocol\":\"probity/judge/1\",\"nonce\":\"00\",",
    "\"verdict\":\"pass\",",
    "\"confidence\":",
    "\"evidence\":[\"x1\"]",
    "\"reason\":",
    "\"measures\":{\"a\":",
    "1e400",
    "0.5",
    "-0",
    "\\ud800",
    "}",
    ",",
];

pub(crate) const PICTURE: &[&str] =
    &["IHDR", "IDAT", "IEND", "PLTE", "tRNS", "acTL", "fcTL", "zTXt", "iCCP", "\u{0}\u{0}\u{0}\r"];

/// Whatever an answer is: what is read of it can be kept, and rests on what was shown.
pub(crate) fn answer(bytes: &[u8]) {
    let names = ["x1".to_owned(), "x2".to_owned()];
    let Ok(answer) = Answer::read(bytes, "00", &names) else { return };
    assert_ne!(answer.verdict, QaVerdict::Error);
    assert!(answer.evidence.iter().all(|name| names.contains(name)));
    let sure: f64 = answer.confidence.token().parse().unwrap();
    assert!((0.0..=1.0).contains(&sure));
}

/// Whatever a picture is: it is refused, or its pixels stay what they are, and a mutant is another picture of its size.
pub(crate) fn picture(bytes: &[u8]) {
    let Ok(image) = Image::read(bytes) else { return };
    assert_eq!(Image::read(&image.write().unwrap()).as_ref(), Ok(&image));
    let exhibit = Exhibit { role: Role::Image, media: "image/png".to_owned(), bytes: bytes.to_vec() };
    for mutation in Mutation::ALL {
        let Some(mutant) = exhibit.mutant(mutation) else { continue };
        let mutant = Image::read(&mutant.bytes).unwrap();
        assert_ne!(mutant, image);
        assert_eq!((mutant.width(), mutant.height()), (image.width(), image.height()));
    }
}
