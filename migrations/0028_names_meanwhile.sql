-- What the table was called when its changes came, where not as at the last look, and which of its other names nobody had then: a list
-- of {"schema", "name", "free"}. Null: they came as it was called at that look, or none came.
alter table millrace_private.published_tables add column came_as jsonb;
