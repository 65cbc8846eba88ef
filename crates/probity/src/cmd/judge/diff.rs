//! `judge diff`: where a picture differs from its baseline, for people.

use std::io::Write as _;
use std::path::Path;

use probity_core::codes::Code;
use probity_core::image::Image;
use probity_core::json::Json;
use probity_core::judge::{Compared, Role};
use probity_core::redact::Redactor;

use super::pixels::{drawn, measure};
use super::refuse;
use crate::answer::{clip, document};
use crate::cli::judge::DiffArgs;
use crate::judging::{HandIn, Refused};
use crate::out::Out;
use crate::screen::block::{Block, Tone};

/// Compares, and draws where it is asked to.
pub(super) fn diff(args: &DiffArgs, out: Out) -> u8 {
    let measure = match measure(&args.measure, out) {
        Ok(measure) => measure,
        Err(exit) => return exit,
    };
    let (image, baseline) = match (read(&args.image), read(&args.baseline)) {
        (Ok(image), Ok(baseline)) => (image, baseline),
        (Err(refused), _) | (_, Err(refused)) => return refuse(&refused, out),
    };
    let compared = measure.compare(&image, &baseline);
    // Of pictures of two sizes nothing can be drawn.
    let picture = measure.drawn(&image, &baseline);
    if let (Some(path), Some(picture)) = (&args.output, &picture)
        && let Err(refused) = write(path, picture)
    {
        return refuse(&refused, out);
    }
    let written = args.output.as_ref().filter(|_| picture.is_some()).map(|path| path.display().to_string());
    let alike = measure.judge(compared).alike;
    let (exit, word, tone) = match alike {
        Some(true) => (0, "ALIKE", Tone::Good),
        Some(false) => (1, "DIFFERENT", Tone::Bad),
        None => (5, "UNDETERMINED", Tone::Open),
    };
    let said = drawn(compared, &measure);
    if out.json {
        let (pixels, changed) = match compared {
            Compared::Pixels { compared, changed } => (Some(compared), Some(changed)),
            Compared::Sizes(_) | Compared::Nothing => (None, None),
        };
        out.data(&document(&Json::map([
            ("schema", Json::from("probity/judge-diff/1")),
            ("exit", exit.into()),
            ("alike", alike.into()),
            ("message", said.into()),
            ("pixels_compared", pixels.into()),
            ("pixels_changed", changed.into()),
            ("changed_ppm", compared.changed_ppm().into()),
            ("written", written.map(|file| clip(&file, 300)).into()),
        ])));
    } else {
        let mut block = Block::new(out);
        block.verdict(word, tone, &said);
        if let Some(file) = written {
            block.row(2, "written", 12, &file);
        }
        block.line(0, 0, &format!("exit {exit}"));
        out.data(&block.done());
    }
    exit
}

/// A picture, within the bounds of what a judge is shown.
fn read(path: &Path) -> Result<Image, Refused> {
    let (exhibit, _) = HandIn::new(&mut Redactor::default()).file(Role::Image, path)?;
    Image::read(&exhibit.bytes).map_err(|fault| Refused::new(Code::ExhibitUnreadable, fault.to_string()))
}

/// Writes a file that is not there yet.
fn write(path: &Path, picture: &Image) -> Result<(), Refused> {
    let bytes = picture.write().map_err(|why| Refused::new(Code::ExhibitUnreadable, why))?;
    let written = std::fs::File::create_new(path).and_then(|mut file| file.write_all(&bytes));
    written.map_err(|error| {
        let taken = error.kind() == std::io::ErrorKind::AlreadyExists;
        let code = if taken { Code::FileExists } else { Code::FolderUnwritable };
        Refused::new(code, format!("{}: {error}", path.display()))
    })
}
