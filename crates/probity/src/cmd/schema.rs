//! `schema`: the JSON Schemas of what people write, for editors.

use probity_core::codes::Code;

use super::fail;
use crate::cli::SchemaArgs;
use crate::out::Out;

/// Writes the schemas into a folder.
pub(crate) fn schema(args: &SchemaArgs, out: Out) -> u8 {
    for (name, text) in probity_formats::schema::schemas() {
        let path = args.out.join(name);
        if let Err(e) = std::fs::write(&path, text) {
            return fail(
                out,
                Code::FolderUnwritable,
                &format!("{} cannot be written: {e}", path.display()),
                "choose another folder",
            );
        }
        out.data(&format!("{}\n", path.display()));
    }
    0
}
