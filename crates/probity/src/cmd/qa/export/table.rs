//! Runs as a table: CSV, where a spreadsheet takes a cell for a formula by its first character, so that no text begins with
//! one; and Parquet, whose columns have types.

use probity_core::json::Number;
use probity_core::qa::QaRun;
use probity_core::verdict::QaVerdict;
use probity_formats::parquet::{Cell, Column, Kind, Table};
use probity_store::index::Index;

use super::{Ended, Sink, each_run, heads};
use crate::answer::qa::time;

/// What stands in a column of one run.
enum Field {
    Text(Option<String>),
    Whole(Option<i64>),
    Time(i64),
    /// A number of outside data: its token in CSV; in Parquet a double near it, and the token in a column of its own.
    Number(Option<Number>),
}

/// The columns of a run.
fn fields(run: QaRun) -> [Field; 18] {
    let QaRun { new, n, version, at } = run;
    let said = new.said;
    let artifacts = i64::try_from(said.artifacts.len()).ok();
    [
        Field::Text(Some(new.requirement)),
        Field::Whole(Some(n)),
        Field::Whole(Some(version)),
        Field::Text(said.verdict.map(|verdict| QaVerdict::as_str(verdict).to_owned())),
        Field::Text(said.reason),
        Field::Number(said.score),
        Field::Number(said.confidence),
        Field::Text(Some(new.source.as_str().to_owned())),
        Field::Text(Some(new.by)),
        Field::Text(said.commit),
        Field::Text(Some(said.tree.as_str().to_owned())),
        Field::Time(at),
        Field::Whole(said.duration_ms),
        Field::Text(new.run),
        Field::Text(new.seal),
        Field::Whole(artifacts),
        Field::Text(Some(new.key)),
        Field::Text(said.raw),
    ]
}

/// The columns with what they hold; [`fields`] gives them in the same order.
const COLUMNS: [(&str, Kind); 18] = [
    ("requirement", Kind::Text),
    ("n", Kind::Whole),
    ("version", Kind::Whole),
    ("verdict", Kind::Text),
    ("verdict_reason", Kind::Text),
    ("score", Kind::Real),
    ("confidence", Kind::Real),
    ("source", Kind::Text),
    ("performed_by", Kind::Text),
    ("commit", Kind::Text),
    ("tree", Kind::Text),
    ("recorded_at", Kind::Time),
    ("duration_ms", Kind::Whole),
    ("run", Kind::Text),
    ("seal", Kind::Text),
    ("artifacts", Kind::Whole),
    ("key", Kind::Text),
    ("raw_result", Kind::Text),
];

/// Writes the runs as CSV (RFC 4180).
pub(super) fn csv(index: &mut Index, ids: &[String], sink: Sink<'_>) -> Result<u64, Ended> {
    write!(sink, "{}\r\n", COLUMNS.map(|(name, _)| name).join(","))?;
    let mut rows = 0;
    for head in heads(index, ids)? {
        each_run(index, &head.requirement.id, &mut |run| {
            rows += 1;
            let cells = fields(run).map(|field| match field {
                Field::Text(text) => text.as_deref().map(cell).unwrap_or_default(),
                Field::Whole(number) => number.map(|number| number.to_string()).unwrap_or_default(),
                Field::Time(at) => time(at),
                // A number by its form, so a minus sign before it begins no formula.
                Field::Number(number) => number.map(|number| number.token().to_owned()).unwrap_or_default(),
            });
            Ok(write!(sink, "{}\r\n", cells.join(","))?)
        })?;
    }
    Ok(rows)
}

/// Writes the runs as Parquet.
pub(super) fn parquet(index: &mut Index, ids: &[String], sink: Sink<'_>) -> Result<u64, Ended> {
    let mut columns = Vec::new();
    for (name, kind) in COLUMNS {
        columns.push(Column { name: name.to_owned(), kind });
        if kind == Kind::Real {
            columns.push(Column { name: format!("{name}_token"), kind: Kind::Text });
        }
    }
    let mut table = Table::begin(sink, columns)?;
    let mut rows = 0;
    for head in heads(index, ids)? {
        each_run(index, &head.requirement.id, &mut |run| {
            rows += 1;
            let mut cells = Vec::with_capacity(20);
            for field in fields(run) {
                match field {
                    Field::Text(text) => cells.push(text.map_or(Cell::Empty, Cell::Text)),
                    Field::Whole(number) => cells.push(number.map_or(Cell::Empty, Cell::Whole)),
                    Field::Time(at) => cells.push(Cell::Whole(at)),
                    Field::Number(number) => {
                        let token = number.as_ref().map(|number| number.token().to_owned());
                        let near = token.as_ref().and_then(|token| token.parse().ok());
                        cells.push(near.map_or(Cell::Empty, Cell::Real));
                        cells.push(token.map_or(Cell::Empty, Cell::Text));
                    }
                }
            }
            Ok(table.row(cells)?)
        })?;
    }
    table.end()?;
    Ok(rows)
}

/// A text as a cell: inert, and quoted where it must be.
fn cell(text: &str) -> String {
    let first = text.trim_start_matches([' ', '\u{a0}']).chars().next();
    let acts = first.is_some_and(|c| {
        matches!(c, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '|' | '%' | '＝' | '＋' | '－' | '＠')
    });
    let text = if acts { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\r', '\n', ';', '\t']) || text.starts_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, written) in [
            ("plain", "plain"),
            ("=1+1", "'=1+1"),
            ("  @SUM(A1)", "'  @SUM(A1)"),
            ("  b", "\"  b\""),
            ("-2+3", "'-2+3"),
            ("\tx", "\"'\tx\""),
            ("＝cmd", "'＝cmd"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("one\ntwo", "\"one\ntwo\""),
            ("", ""),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }
}
