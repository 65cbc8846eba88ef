//! `judge`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `judge`
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Have a criterion judged over pictures and other evidence, and write the QA run
    Run(Box<RunArgs>),
    /// Show which judges there are, and their digests
    List,
    /// Draw where a picture differs from its baseline
    Diff(DiffArgs),
    /// The shipped judge: pictures against baselines, pixel by pixel; a question on standard input, an answer on standard
    /// output
    Pixels(PixelsArgs),
}

/// `judge run`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity judge run pixels --author coder-7 --criterion 'The cart looks as it did.' --image cart.png --baseline cart-good.png
  probity judge run look --author coder-7 --run 20261130T1424 --requirement ORDER-2 --evidence e3 --votes 3
  probity judge run look --author coder-7 --criterion 'No error is shown.' --image a.png --known-bad broken.png -o runs.jsonl
  probity policy eval --policy look.policy.json --runs runs.jsonl

Each vote is asked beside evidence that is known to be bad; a judge that passes it has no vote. Exit codes: 0 pass, 1 fail,
5 undetermined, 3 no vote counts, 6 the judge is not the pinned one.")]
pub(crate) struct RunArgs {
    /// The judge, by its name in probity.yaml; pixels is shipped
    pub judge: String,
    /// Who made what is judged: a person or an agent. The judge may not be one of them
    #[arg(long, value_name = "WHO", required = true)]
    pub author: Vec<String>,
    /// What must hold
    #[arg(long, value_name = "TEXT", required_unless_present = "requirement")]
    pub criterion: Option<String>,
    /// The requirement, by its id; with --run a criterion of that run, whose text is taken from it
    #[arg(long, value_name = "ID")]
    pub requirement: Option<String>,
    /// A picture that is judged, in PNG
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,
    /// Other evidence that is judged: a file, or with --run a step or handle such as e3
    #[arg(long, value_name = "FILE|eN")]
    pub evidence: Vec<PathBuf>,
    /// A picture of how it should be, in PNG
    #[arg(long, value_name = "FILE")]
    pub baseline: Vec<PathBuf>,
    /// A run that evidence is taken from
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// How many votes; they must agree
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub votes: u64,
    /// Something in the place of what is judged that the judge must not pass
    #[arg(long, value_name = "FILE")]
    pub known_bad: Vec<PathBuf>,
    /// Something in the place of what is judged that the judge must pass
    #[arg(long, value_name = "FILE")]
    pub known_good: Vec<PathBuf>,
    /// A file to whose end the QA run is added, as a line of JSON; - for standard output in the place of the answer
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where runs are kept, if not in probity-runs of the project
    #[arg(long, value_name = "DIR", env = "PROBITY_OUT")]
    pub out: Option<PathBuf>,
}

/// `judge diff`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  probity judge diff cart.png cart-good.png
  probity judge diff cart.png cart-good.png -o where.png --mask 0,0,1280,64

Differing pixels are red, masked ones blue. Exit codes: 0 alike, 1 not, 5 nothing to compare.")]
pub(crate) struct DiffArgs {
    /// The picture, in PNG
    pub image: PathBuf,
    /// How it should be
    pub baseline: PathBuf,
    /// The picture to write, which must not be there yet
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub measure: PixelsArgs,
}

/// `judge pixels`
#[derive(Debug, Args)]
#[command(after_help = "\
In probity.yaml:
  judges:
    look: {run: [probity, judge, pixels, --most, \"500\", --mask, \"0,0,1280,64\"], by: probity}")]
pub(crate) struct PixelsArgs {
    /// By how much of 255 a channel of a pixel may differ
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub threshold: u8,
    /// How many pixels of a million may differ
    #[arg(long, value_name = "PPM", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub most: u32,
    /// A rectangle in which nothing is compared
    #[arg(long, value_name = "X,Y,W,H", allow_hyphen_values = true)]
    pub mask: Vec<String>,
}
