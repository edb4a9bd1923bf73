-- What the table was called when it was looked at last. Null: there was none any more, or a release before looked.
alter table millrace_private.published_tables add column schema_name text, add column table_name text;
