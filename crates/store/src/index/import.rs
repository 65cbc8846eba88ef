//! Taking in what another index gave out: everything or nothing, and each thing once.

use probity_core::qa::intake;
use probity_core::qa::line::Line;
use sqlx::AnyConnection;

use super::rows::int;
use super::{Done, Index, IndexError, Recorded, See, read, require, waive, write};

/// What came of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Rows that are new.
    pub new: u64,
    /// Rows that stood here already.
    pub same: u64,
}

impl Index {
    /// Takes rows in, in the order in which an export gives them. A run gets the next number of its requirement here; its
    /// key is what tells it apart.
    ///
    /// # Errors
    /// The number of the row, counted from 0, with `key_conflict` where a row contradicts what is here, `index_refused`,
    /// `index_unreachable`; then nothing was taken in.
    pub fn take(&mut self, lines: &[Line], see: See<'_>) -> Result<Taken, (usize, IndexError)> {
        let mut at = 0;
        let taken = self.change(async |connection| {
            let mut taken = Taken::default();
            for (position, line) in lines.iter().enumerate() {
                at = position;
                match one(connection, line, see).await? {
                    Some(true) => taken.new += 1,
                    Some(false) => taken.same += 1,
                    None => {}
                }
            }
            Ok(taken)
        });
        taken.map_err(|error| (at, error))
    }
}

/// Takes one row in; says whether it is new.
async fn one(connection: &mut AnyConnection, line: &Line, see: See<'_>) -> Done<Option<bool>> {
    let conflict = |key: &str, what: &str| IndexError::Conflict { key: key.to_owned(), what: what.to_owned() };
    Ok(match line {
        Line::Form => None,
        Line::Requirement(requirement) => Some(!require::enter(connection, requirement).await?),
        Line::Version(version) => {
            let head = sqlx::query("SELECT version FROM qa_heads WHERE requirement_id = $1");
            let head = head.bind(version.requirement.as_str()).fetch_optional(&mut *connection).await?;
            let Some(head) = head else { return Err(read::unknown(connection, &version.requirement).await?.into()) };
            let last = int(&head, "version")?;
            if version.version <= last {
                let stands = read::version(connection, &version.requirement, version.version).await?;
                if stands != *version {
                    return Err(conflict(&version.requirement, &format!("a version {}", version.version)).into());
                }
                Some(false)
            } else if version.version == last + 1 {
                require::append(connection, version, see).await?;
                Some(true)
            } else {
                return Err(
                    conflict(&version.requirement, &format!("{last} versions, without the ones between")).into()
                );
            }
        }
        Line::Run(run) => {
            let metrics = intake::metrics(run.new.said.raw.as_deref());
            let metrics = metrics.map_err(|unfit| IndexError::Refused { reason: unfit.message })?;
            let recorded = write::record(connection, &run.new, &metrics, run.at, see).await?;
            Some(!matches!(recorded, Recorded::Same(_)))
        }
        Line::Waiver(waiver) => match read::waiver(connection, &waiver.key).await? {
            Some(stands) if stands == *waiver => Some(false),
            Some(_) => return Err(conflict(&waiver.key, "a waiver").into()),
            None => {
                waive::insert_waiver(connection, waiver).await?;
                Some(true)
            }
        },
        Line::Decision(decision) => match read::decision(connection, &decision.key).await? {
            Some(stands) if stands == *decision => Some(false),
            Some(_) => return Err(conflict(&decision.key, "a decision").into()),
            None => {
                waive::insert_decision(connection, decision).await?;
                Some(true)
            }
        },
    })
}
