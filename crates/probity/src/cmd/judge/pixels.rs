//! `judge pixels`: the shipped judge. It is asked like any other, over standard input and output.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use probity_core::codes::Code;
use probity_core::image::Image;
use probity_core::json::{Json, Limits, Map, read};
use probity_core::judge::{Compared, MOST_HANDED, Mask, Measure, PROTOCOL, Role};

use crate::cli::judge::PixelsArgs;
use crate::cmd::fail;
use crate::out::Out;

/// A question is at most so long: base64 takes four bytes for three.
const LONGEST: u64 = (MOST_HANDED as u64 + MOST_HANDED as u64 / 2) + (1 << 20);

/// Answers a question.
pub(super) fn pixels(args: &PixelsArgs, out: Out) -> u8 {
    let measure = match measure(args, out) {
        Ok(measure) => measure,
        Err(exit) => return exit,
    };
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST).read_to_end(&mut text);
    match read.map_err(|error| error.to_string()).and_then(|_| Shown::of(&text)) {
        Ok(shown) => {
            out.data(&format!("{}\n", shown.answer(&measure)));
            0
        }
        Err(why) => {
            let help = "it is asked by probity judge run; docs/judges.md shows a question";
            fail(out, Code::UsageError, &format!("the question cannot be read: {why}"), help)
        }
    }
}

/// How pictures are compared.
///
/// # Errors
/// The exit code, after the reason was given.
pub(super) fn measure(args: &PixelsArgs, out: Out) -> Result<Measure, u8> {
    let masks = args.mask.iter().map(|mask| Mask::parse(mask)).collect::<Option<Vec<Mask>>>();
    let masks = masks.ok_or_else(|| {
        fail(out, Code::UsageError, "a mask is not X,Y,WIDTH,HEIGHT", "write it as in --mask 0,0,1280,64")
    })?;
    Ok(Measure { threshold: args.threshold, most: args.most, masks })
}

/// A comparison in words.
pub(super) fn drawn(compared: Compared, measure: &Measure) -> String {
    match compared {
        Compared::Sizes([a, b, c, d]) => format!("the image has {a} x {b} pixels, its baseline {c} x {d}"),
        Compared::Nothing => "every pixel is masked".to_owned(),
        Compared::Pixels { compared, changed } => format!(
            "{changed} of {compared} pixels differ by more than {}; at most {} of a million may",
            measure.threshold, measure.most
        ),
    }
}

/// What was shown, with names.
struct Shown {
    nonce: String,
    images: Vec<(String, Image)>,
    baselines: Vec<(String, Image)>,
}

/// A picture beside its baseline.
struct Pair {
    compared: Compared,
    alike: Option<bool>,
    certainty: u16,
}

impl Shown {
    fn of(text: &[u8]) -> Result<Self, String> {
        let question = read(text, &Limits { depth: 8, nodes: 100_000 }).map_err(|error| error.to_string())?;
        let part = |value: &Json, name: &str| {
            value.get(name).and_then(Json::as_text).map(str::to_owned).ok_or_else(|| format!("it does not say {name}"))
        };
        if part(&question, "protocol")? != PROTOCOL {
            return Err(format!("its protocol is not {PROTOCOL}"));
        }
        let mut shown = Self { nonce: part(&question, "nonce")?, images: Vec::new(), baselines: Vec::new() };
        for exhibit in question.get("exhibits").and_then(Json::as_list).ok_or("it shows nothing")? {
            let (name, role) = (part(exhibit, "name")?, part(exhibit, "role")?);
            let to = match Role::parse(&role) {
                Some(Role::Image) => &mut shown.images,
                Some(Role::Baseline) => &mut shown.baselines,
                Some(Role::Evidence) => continue,
                None => return Err(format!("{name} has the role {role}")),
            };
            let bytes = STANDARD.decode(part(exhibit, "data")?).map_err(|error| format!("{name}: {error}"))?;
            to.push((name.clone(), Image::read(&bytes).map_err(|fault| format!("{name}: {fault}"))?));
        }
        Ok(shown)
    }

    fn answer(&self, measure: &Measure) -> Json {
        if self.images.is_empty() || self.images.len() != self.baselines.len() {
            let (images, baselines) = (self.images.len(), self.baselines.len());
            let reason = format!("{images} images and {baselines} baselines: each image needs its own");
            return self.said("undetermined", 0, &reason, Map::new());
        }
        let pairs = self.images.iter().zip(&self.baselines).map(|((_, image), (_, baseline))| {
            let compared = measure.compare(image, baseline);
            let certain = measure.judge(compared);
            Pair { compared, alike: certain.alike, certainty: certain.certainty }
        });
        let pairs: Vec<Pair> = pairs.collect();
        // The worst decides: surest of the failures, least sure of the passes.
        let failed = pairs.iter().filter(|pair| pair.alike == Some(false)).max_by_key(|pair| pair.certainty);
        let open = pairs.iter().find(|pair| pair.alike.is_none());
        let passed = pairs.iter().min_by_key(|pair| pair.certainty);
        let Some(worst) = failed.or(open).or(passed) else { return Json::Null };
        let verdict = match worst.alike {
            Some(true) => "pass",
            Some(false) => "fail",
            None => "undetermined",
        };
        self.said(verdict, worst.certainty, &drawn(worst.compared, measure), worst.measures())
    }

    fn said(&self, verdict: &str, certainty: u16, reason: &str, measures: Map) -> Json {
        let confidence = format!("{}.{:04}", certainty / 10_000, certainty % 10_000);
        let cited: Vec<&str> = self.images.iter().chain(&self.baselines).map(|(name, _)| name.as_str()).collect();
        Json::map([
            ("protocol", Json::from(PROTOCOL)),
            ("nonce", self.nonce.as_str().into()),
            ("verdict", verdict.into()),
            ("confidence", probity_core::json::Number::parse(&confidence).into()),
            ("evidence", Json::list(cited)),
            ("reason", reason.into()),
            ("measures", measures.into()),
        ])
    }
}

impl Pair {
    fn measures(&self) -> Map {
        let mut measures = Map::new();
        if let (Compared::Pixels { compared, changed }, Some(ppm)) = (self.compared, self.compared.changed_ppm()) {
            measures.push("pixels_compared", compared);
            measures.push("pixels_changed", changed);
            measures.push("changed_ppm", ppm);
        }
        measures
    }
}
