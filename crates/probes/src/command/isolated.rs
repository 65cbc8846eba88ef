//! Keeping children out of a folder: they start in a mount namespace in which it cannot be written (threats.md R11).
//!
//! A namespace belongs to a thread, and a child gets that of the thread that starts it. So one thread leaves the process's
//! namespace, sees the folder bound over itself and read-only, and starts all children; nothing changes for the others.
//! Mounts that the machine makes later still arrive there. It takes the right to mount (`CAP_SYS_ADMIN`), which whoever runs
//! as root outside of a container has; a child that has it too could undo it, and is then no worse than without.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

type Job = Box<dyn FnOnce() + Send>;

/// A thread that starts children where some paths are read-only. It ends when this is dropped; its children stay.
#[derive(Debug)]
pub struct Isolated {
    jobs: mpsc::Sender<Job>,
}

impl Isolated {
    /// `None` where the system does not allow it, or a path is not there.
    #[must_use]
    pub fn from(paths: &[&Path]) -> Option<Self> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let (jobs, waiting) = mpsc::channel::<Job>();
        let (ready, answer) = mpsc::channel();
        let work = move || {
            let apart = leave(&paths);
            let begun = apart.is_ok();
            if ready.send(apart).is_ok() && begun {
                waiting.into_iter().for_each(|job| job());
            }
        };
        thread::Builder::new().name("isolated".to_owned()).spawn(work).ok()?;
        answer.recv().ok()?.ok()?;
        Some(Self { jobs })
    }

    /// Does something in that thread. `None` where the thread is gone.
    pub(crate) fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, result) = mpsc::channel();
        let job = move || {
            // Nobody waits any more for what nobody needs.
            let _ = done.send(work());
        };
        self.jobs.send(Box::new(job)).ok()?;
        result.recv().ok()
    }
}

fn leave(paths: &[PathBuf]) -> nix::Result<()> {
    const NOTHING: Option<&str> = None;
    unshare(CloneFlags::CLONE_NEWNS)?;
    // What is mounted here must not arrive where we come from.
    mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_SLAVE, NOTHING)?;
    for path in paths {
        mount(Some(path), path, NOTHING, MsFlags::MS_BIND, NOTHING)?;
        let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
        mount(NOTHING, path, NOTHING, read_only, NOTHING)?;
    }
    Ok(())
}
