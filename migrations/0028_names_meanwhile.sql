-- What the table was called when its changes came, if not as at the last look, and which of its other names nobody had: {"schema", "name",
-- "free"}. Null: they came as it was called then, or none came.
alter table millrace_private.published_tables add column came_as jsonb;
