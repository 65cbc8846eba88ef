//! Tables as Parquet files: typed columns for programs that analyse, in which a text is a text and never a formula. Every
//! column may be empty in a row. Pages are not compressed, so that no codec comes along.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// A whole number of 64 bits.
    Whole,
    /// Microseconds since 1970, in UTC.
    Time,
    /// A double.
    Real,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What stands in one row of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A whole number, or a time.
    Whole(i64),
    /// A double.
    Real(f64),
}

/// So many rows are written at once.
const ROWS: usize = 10_000;
/// And so many bytes of text, so that rows with much in them need no more memory.
const BYTES: usize = 16 << 20;

/// A table while it is written.
pub struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    bytes: usize,
}

impl<W: Write + Send> Table<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// Columns without a name, or two of one name; what the sink fails with.
    pub fn begin(sink: W, columns: Vec<Column>) -> io::Result<Self> {
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder().set_created_by("probity".to_owned()).build();
        let writer = SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { writer, columns, rows: Vec::new(), bytes: 0 })
    }

    /// Adds a row: a cell for each column.
    ///
    /// # Errors
    /// A row that does not fit the columns; what the sink fails with.
    pub fn row(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        let fits = |(column, cell): (&Column, &Cell)| match cell {
            Cell::Empty => true,
            Cell::Text(_) => column.kind == Kind::Text,
            Cell::Whole(_) => matches!(column.kind, Kind::Whole | Kind::Time),
            Cell::Real(_) => column.kind == Kind::Real,
        };
        if cells.len() != self.columns.len() || !self.columns.iter().zip(&cells).all(fits) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a row does not fit its columns"));
        }
        self.bytes += cells.iter().map(|cell| if let Cell::Text(text) = cell { text.len() } else { 8 }).sum::<usize>();
        self.rows.push(cells);
        if self.rows.len() >= ROWS || self.bytes >= BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is left and the end of the file.
    ///
    /// # Errors
    /// What the sink fails with.
    pub fn end(mut self) -> io::Result<()> {
        self.flush()?;
        self.writer.close().map(drop).map_err(failed)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for (position, column) in self.columns.iter().enumerate() {
            let cells = self.rows.iter().map(|row| &row[position]);
            write(&mut group, column.kind, cells).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Whole => (Physical::INT64, None),
        Kind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, parquet::basic::TimeUnit::MICROS))),
        Kind::Real => (Physical::DOUBLE, None),
    };
    let builder = Type::primitive_type_builder(&column.name, physical).with_logical_type(logical);
    builder.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
}

/// Writes the next column of a group: which rows have a value, and the values.
fn write<'c, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    kind: Kind,
    cells: impl Iterator<Item = &'c Cell> + Clone,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are fewer columns than cells".to_owned()));
    };
    let levels: Vec<i16> = cells.clone().map(|cell| i16::from(*cell != Cell::Empty)).collect();
    match kind {
        Kind::Text => {
            let text =
                |cell: &Cell| if let Cell::Text(text) = cell { Some(ByteArray::from(text.as_str())) } else { None };
            let values: Vec<ByteArray> = cells.filter_map(text).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
        Kind::Whole | Kind::Time => {
            let whole = |cell: &Cell| if let Cell::Whole(number) = cell { Some(*number) } else { None };
            let values: Vec<i64> = cells.filter_map(whole).collect();
            column.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
        }
        Kind::Real => {
            let real = |cell: &Cell| if let Cell::Real(number) = cell { Some(*number) } else { None };
            let values: Vec<f64> = cells.filter_map(real).collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::RowAccessor as _;

    fn columns() -> Vec<Column> {
        let kinds = [("text", Kind::Text), ("whole", Kind::Whole), ("at", Kind::Time), ("real", Kind::Real)];
        kinds.map(|(name, kind)| Column { name: name.to_owned(), kind }).to_vec()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut bytes = Vec::new();
        let mut table = Table::begin(&mut bytes, columns()).unwrap();
        let count = ROWS + 5;
        for n in 0..count {
            let text = if n % 3 == 0 { Cell::Empty } else { Cell::Text(format!("=é{n}")) };
            let whole = i64::try_from(n).unwrap();
            table.row(vec![text, Cell::Whole(-whole), Cell::Whole(whole), Cell::Real(0.5)]).unwrap();
        }
        table.end().unwrap();
        let reader = SerializedFileReader::new(::bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut read = 0;
        for (n, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let (row, whole) = (row.unwrap(), i64::try_from(n).unwrap());
            let text = row.get_string(0).ok().cloned();
            assert_eq!(text, (n % 3 != 0).then(|| format!("=é{n}")));
            assert_eq!((row.get_long(1).unwrap(), row.get_timestamp_micros(2).unwrap()), (-whole, whole));
            assert!((row.get_double(3).unwrap() - 0.5).abs() < f64::EPSILON);
            read += 1;
        }
        assert_eq!(read, count);
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused() {
        let mut table = Table::begin(Vec::new(), columns()).unwrap();
        assert!(table.row(vec![Cell::Empty]).is_err());
        assert!(table.row(vec![Cell::Whole(1), Cell::Empty, Cell::Empty, Cell::Empty]).is_err());
        assert!(table.row(vec![Cell::Empty; 4]).is_ok());
    }
}
