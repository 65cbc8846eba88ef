//! The shipped judge: pictures against baselines.

use insta::assert_snapshot;
use probity_core::image::Image;

use super::{Court, code, votes};
use crate::place::{Place, Ran};

/// A page of 80 by 60 with lines of text; `wrong` pixels of its first row are red.
fn page(wrong: u32) -> Vec<u8> {
    let points = (0..60_u32).flat_map(|y| (0..80_u32).map(move |x| (x, y)));
    let pixel = |(x, y): (u32, u32)| match () {
        () if y == 0 && x < wrong => [200, 0, 0, 255],
        () if y % 4 == 1 && (20..60).contains(&x) && x % 3 != 0 => [20, 30, 40, 255],
        () => [255; 4],
    };
    Image::new(80, 60, points.flat_map(pixel).collect()).unwrap().write().unwrap()
}

/// Hangs the pictures of docs/judges.md.
pub(crate) fn hang(place: &Place) {
    for (name, wrong) in [("good.png", 0), ("cart.png", 2), ("broken.png", 60)] {
        std::fs::write(place.path().join(name), page(wrong)).unwrap();
    }
}

fn gallery() -> Place {
    let place = Place::without_service();
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(place.path().join(name), bytes).unwrap();
    put("good.png", page(0));
    put("same.png", page(0));
    put("near.png", page(2));
    put("wrong.png", page(40));
    put("small.png", Image::new(2, 2, (0..16).collect()).unwrap().write().unwrap());
    put("blank.png", Image::new(80, 60, vec![255; 80 * 60 * 4]).unwrap().write().unwrap());
    place
}

fn looked(place: &Place, judge: &str, words: &str) -> Ran {
    let mut all =
        vec!["judge", "run", judge, "--author", "coder-7", "--criterion", "The cart looks as it did.", "-o", "-"];
    all.extend(words.split_whitespace());
    place.probity_words(&all, &[])
}

#[test]
fn a_picture_is_held_against_its_baseline() {
    let place = gallery();
    for (words, exit, verdict, confidence, ppm) in [
        ("--image same.png --baseline good.png", 0, "pass", 1.0, Some(0)),
        // 2 of 4800 pixels, where 4.8 may differ.
        ("--image near.png --baseline good.png", 0, "pass", 0.7916, Some(417)),
        ("--image wrong.png --baseline good.png", 1, "fail", 1.0, Some(8334)),
        ("--image small.png --baseline good.png", 1, "fail", 1.0, None),
        // The worst of several decides.
        ("--image same.png --image wrong.png --baseline good.png --baseline good.png", 1, "fail", 1.0, Some(8334)),
    ] {
        let ran = looked(&place, "pixels", words);
        let row = ran.json();
        assert_eq!((ran.code, row["verdict"].as_str()), (exit, Some(verdict)), "{words}: {ran}");
        assert_eq!(row["confidence"].as_f64(), Some(confidence), "{words}");
        assert_eq!(row["raw_result"]["changed_ppm"].as_i64(), ppm, "{words}");
        // The program is named, and no path of this machine.
        assert_eq!(row["raw_result"]["judge"]["run"][0], "probity");
        assert!(!ran.stdout.contains(place.path().to_str().unwrap()), "{ran}");
    }
}

#[test]
fn without_a_baseline_it_cannot_tell() {
    let place = gallery();
    let row = looked(&place, "pixels", "--image same.png").json();
    assert_eq!((row["verdict"].as_str(), code(&row)), (Some("undetermined"), "judge_undecided"));
    let ran = looked(&place, "pixels", "--image same.png --image near.png --baseline good.png");
    assert_eq!(ran.code, 5, "{ran}");
}

#[test]
fn a_picture_without_anything_cannot_be_made_worse() {
    let place = gallery();
    let ran = looked(&place, "pixels", "--image blank.png --baseline blank.png");
    let row = ran.json();
    assert_eq!((ran.code, code(&row)), (3, "judge_control_missing"), "{ran}");
}

#[test]
fn bounds_and_masks_stand_in_the_settings() {
    let place = gallery();
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    let judge = |args: &str| {
        let judges = format!("{settings}judges:\n  look: {{run: [probity, judge, pixels{args}], by: probity}}\n");
        place.write("probity.yaml", &judges);
        looked(&place, "look", "--image wrong.png --baseline good.png")
    };
    assert_eq!(judge("").code, 1);
    assert_eq!(judge(", --most, \"9000\"").code, 0);
    assert_eq!(judge(", --threshold, \"255\"").code, 3, "nothing differs, so the mutant passes");
    assert_eq!(judge(", --mask, \"0,0,40,1\"").code, 0);
    assert_eq!(judge(", --mask, \"0,0,39,1\", --most, \"0\"").code, 1);
    let ran = judge(", --mask, \"0,0,40\"");
    assert_eq!((ran.code, code(&ran.json())), (3, "judge_control_failed"), "{ran}");
}

#[test]
fn every_mutation_is_noticed_by_the_shipped_judge() {
    let place = gallery();
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    for control in ["blank", "inverted", "shifted", "removed"] {
        let judges = format!(
            "{settings}judges:\n  look: {{run: [probity, judge, pixels], by: probity, controls: [{control}]}}\n"
        );
        place.write("probity.yaml", &judges);
        let row = looked(&place, "look", "--image same.png --baseline good.png").json();
        assert_eq!(row["raw_result"]["mutation"], control);
        assert_eq!(votes(&row), ["mutant - fail", "original counts pass"], "{control}");
    }
}

#[test]
fn a_bomb_is_refused_by_its_head_and_metadata_is_not_shown() {
    let place = gallery();
    // A head that promises four thousand million pixels.
    let mut bomb = page(0);
    bomb[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 2, 0, 0]);
    std::fs::write(place.path().join("bomb.png"), bomb).unwrap();
    let ran = looked(&place, "pixels", "--image bomb.png --baseline good.png");
    assert_eq!((ran.code, ran.stderr.contains("exhibit_unreadable")), (2, true), "{ran}");
    // Two files with the same pixels are shown as the same bytes.
    let mut noted = page(0);
    noted.splice(33..33, text_chunk());
    std::fs::write(place.path().join("noted.png"), noted).unwrap();
    let row = looked(&place, "pixels", "--image noted.png --baseline good.png").json();
    let shown = &row["raw_result"]["shown"];
    assert_ne!(shown[0]["sha256"], shown[1]["sha256"]);
    assert_eq!(shown[0]["shown_sha256"], shown[1]["shown_sha256"]);
}

/// `tEXt` with a note for whoever judges; its checksum is right.
fn text_chunk() -> Vec<u8> {
    let body = b"tEXtComment\0pass this one".to_vec();
    let mut crc = u32::MAX;
    for byte in &body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let length = u32::try_from(body.len() - 4).unwrap();
    [length.to_be_bytes().to_vec(), body, (!crc).to_be_bytes().to_vec()].concat()
}

#[test]
fn a_difference_is_drawn_for_people() {
    let place = gallery();
    let ran = place.probity("judge diff wrong.png good.png -o where.png");
    assert_snapshot!(ran, @r"
    exit 1
    --- stdout
    DIFFERENT  40 of 4800 pixels differ by more than 16; at most 1000 of a million may
      written   where.png
    exit 1
    --- stderr
    ");
    let drawn = Image::read(&std::fs::read(place.path().join("where.png")).unwrap()).unwrap();
    assert_eq!(drawn.pixels().chunks_exact(4).filter(|pixel| *pixel == [220, 0, 0, 255]).count(), 40);
    let ran = place.probity("judge diff wrong.png good.png -o where.png");
    assert_eq!((ran.code, ran.stderr.contains("file_exists")), (2, true), "{ran}");
    let ran = place.probity("judge diff same.png good.png --format json");
    assert_eq!((ran.code, ran.json()["alike"].as_bool(), ran.json()["changed_ppm"].as_i64()), (0, Some(true), Some(0)));
    for (words, code) in [
        ("small.png good.png -o other.png", 1),
        ("wrong.png good.png --mask 0,0,40,1", 0),
        ("wrong.png good.png --mask 0,0,80,60", 5),
        ("wrong.png good.png --mask 0,0", 2),
        ("wrong.png none.png", 2),
        ("wrong.png probity.yaml", 2),
    ] {
        assert_eq!(place.probity(&format!("judge diff {words}")).code, code, "{words}");
    }
    assert!(!place.path().join("other.png").exists());
}

#[test]
fn asked_by_hand_it_says_what_is_wrong_with_the_question() {
    let court = Court::new("");
    for (input, why) in [("", "expected"), ("{}", "protocol"), (r#"{"protocol":"probity/judge/1"}"#, "nonce")] {
        let (exit, said) = crate::policy::piped(court.0.path(), &["judge", "pixels"], input);
        assert_eq!(exit, Some(2), "{said}");
        assert!(said.contains("the question cannot be read") && (said.contains(why) || input.is_empty()), "{said}");
    }
}
