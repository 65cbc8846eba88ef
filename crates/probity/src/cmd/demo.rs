//! `demo`: opens a small shop with a bug that no status code shows, runs a plan against it and proves the bug.
//!
//! The run is made as `run` makes it; only the folder and the shop are the demo's own. With `--tamper`, a copy of the
//! run is edited and verified, as `verify` does it.

use std::io;
use std::path::Path;
use std::time::Duration;

use probity_core::codes::Code;
use probity_core::verdict::Status;
use probity_store::{find, naming::RUNS};

use super::qa::follow::Follow;
use super::run::{Ask, interrupts};
use super::{fail, fail_documents, fail_with, verify};
use crate::cli::{DemoArgs, OneRun, VerifyArgs};
use crate::demo::scene::{PLAN, Scene};
use crate::demo::shop::Shop;
use crate::demo::{cheat, store};
use crate::engine::{Finished, Shared};
use crate::out::Out;
use crate::plans::{self, PlanSource};
use crate::project::Project;

/// What the shop stores of three mugs, and what it answered; `--tamper` puts one for the other.
const STORED: &str = "29.96";
const ANSWERED: &str = "29.97";

/// Runs the demo.
pub(crate) fn demo(args: &DemoArgs, out: Out) -> u8 {
    if let Some([folder, order]) = args.read_order.as_deref() {
        return read_order(Path::new(folder), order, out);
    }
    let scene = match Scene::make(args.out.as_deref()) {
        Ok(scene) => scene,
        Err(error) => return no_folder(args, &error, out),
    };
    let unwritable = |error: io::Error| {
        fail(out, Code::FolderUnwritable, &format!("the demo cannot be set up: {error}"), "choose a folder with --out")
    };
    let shop = match Shop::open(scene.orders(), args.fixed) {
        Ok(shop) => shop,
        Err(error) => {
            let message = format!("the shop cannot be opened: {error}");
            return fail_with(out, Code::NetworkDenied, &message, Code::NetworkDenied.explanation().remedy, 3);
        }
    };
    let project = match scene.project(&shop.url()) {
        Ok(project) => project,
        Err(error) => return unwritable(error),
    };
    let mut sources = match plans::find(&[scene.folder.join(PLAN)]) {
        Ok(sources) => sources,
        Err(found) => return fail_documents(out, &found, &scene.folder),
    };
    for source in &mut sources {
        // The run is of this project, wherever the command was given.
        PLAN.clone_into(&mut source.name);
    }
    before(args, &scene, &shop, out);
    let act = Act { args, scene, shop, project, sources };
    if args.tamper { act.tampered(out) } else { act.plain(out) }
}

/// A demo that is set up.
struct Act<'a> {
    args: &'a DemoArgs,
    scene: Scene,
    shop: Shop,
    project: Project,
    sources: Vec<PlanSource>,
}

impl Act<'_> {
    fn ask(&self) -> Ask<'_> {
        Ask {
            project: &self.project,
            runs: self.scene.folder.join(RUNS),
            environment: None,
            only: Vec::new(),
            allow: Vec::new(),
            jobs: None,
            challenge: None,
            repeat: 1,
        }
    }

    /// The run, shown as `run` shows it.
    fn plain(self, out: Out) -> u8 {
        let exit = self.ask().all(&self.sources, &mut Follow::nobody(), out);
        if let Ok(run) = find::newest(&self.scene.folder.join(RUNS)) {
            after(self.args, &run, out);
        }
        drop(self.shop);
        exit
    }

    /// The run, then what verification says of an edited copy of it; the run itself is not shown.
    fn tampered(self, out: Out) -> u8 {
        let done = match self.quietly(out) {
            Ok(done) => done,
            Err(exit) => return exit,
        };
        drop(self.shop);
        if done.verified.judged.as_ref().is_none_or(|judged| judged.status() != Status::Failed) {
            // Interrupted, most likely: there is no failure to hide, so there is nothing to show.
            let exit = crate::answer::exit(&done.verified);
            let message = "the run did not fail as the demo's run does, so there is nothing to cover up";
            return fail_with(out, Code::Interrupted, message, "run it again", exit);
        }
        let copies = self.scene.folder.join("tampered");
        let cheated = match cheat::cheat(&done.dir, &copies, STORED, ANSWERED) {
            Ok(cheated) => cheated,
            Err(error) => {
                let message = format!("the run cannot be copied: {error}");
                return fail(out, Code::FolderUnwritable, &message, "choose a folder with --out");
            }
        };
        out.talk(&format!(
            "The run failed: expected {ANSWERED}, saw {STORED}. In a copy of it, each {STORED} now reads {ANSWERED}: {} places in \
             {} files.\nWhat verify says of the copy:\n",
            cheated.places, cheated.files
        ));
        let exit = verify::verify(&verify_of(&cheated.dir), out);
        out.talk(&format!("\nThe run itself is untouched:  probity verify {}", done.dir.display()));
        exit
    }

    fn quietly(&self, out: Out) -> Result<Finished, u8> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| fail_with(out, Code::NetworkDenied, &format!("no event loop can be made: {e}"), "", 3))?;
        let cancel = runtime.block_on(async { interrupts() });
        let ask = self.ask();
        let done = match self.sources.as_slice() {
            [source] => ask.one(&runtime, source, &cancel, &mut Shared::default(), out),
            _ => return Err(fail(out, Code::PlanNotFound, "the demo's plan is gone", "run it again")),
        };
        runtime.shutdown_timeout(Duration::from_millis(200));
        done.map_err(|error| ask.failed(&error, out))
    }
}

fn verify_of(run: &Path) -> VerifyArgs {
    VerifyArgs {
        run: OneRun { run: Some(run.to_string_lossy().into_owned()), out: None },
        integrity_only: false,
        seal: None,
        require_signature: false,
        allowed_signers: None,
        subject: None,
        plan: None,
        requirement: None,
        environment: None,
        max_age: None,
        index: None,
    }
}

/// Says what is going to happen.
fn before(args: &DemoArgs, scene: &Scene, shop: &Shop, out: Out) {
    let kind = if args.fixed { "without its bug" } else { "with a bug that no status code shows" };
    out.talk(&format!(
        "A small shop {kind} answers at {}.\n\
         A plan orders three mugs from it, then compares what was stored with what was answered.\n\
         Everything is in {}; read {PLAN} there.\n",
        shop.url(),
        scene.folder.display()
    ));
}

/// Says what to try next.
fn after(args: &DemoArgs, run: &Path, out: Out) {
    let run = run.display();
    let third = if args.fixed {
        "probity init                 write a plan for a service of yours"
    } else {
        "probity demo --fixed         the same plan, the shop repaired"
    };
    out.talk(&format!(
        "\nTry next\n  probity verify {run}\n  probity show {run} ORDER-2\n  {third}\n  probity demo --tamper        what comes \
         of editing a failed run"
    ));
}

/// Prints an order of a store: what the demo's plan runs.
fn read_order(folder: &Path, order: &str, out: Out) -> u8 {
    match store::read(folder, order) {
        Ok(stored) => {
            out.data(&format!("{}\n", serde_json::json!(stored)));
            0
        }
        Err(error) => fail(out, Code::IdUnknown, &error.to_string(), "name an order that the shop has"),
    }
}

fn no_folder(args: &DemoArgs, error: &io::Error, out: Out) -> u8 {
    let folder = args.out.as_deref().unwrap_or_else(|| Path::new("the temporary folder")).display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        let message = format!("{folder} is not empty, and the demo overwrites nothing");
        return fail(out, Code::FileExists, &message, "name a folder that is new or empty");
    }
    fail(out, Code::FolderUnwritable, &format!("{folder} cannot be made: {error}"), "choose a folder with --out")
}
