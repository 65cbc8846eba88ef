//! Where runs are kept: the journal file, evidence, the run list.
