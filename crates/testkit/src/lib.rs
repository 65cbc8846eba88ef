//! Helpers for tests: servers that misbehave, folders, filters.
