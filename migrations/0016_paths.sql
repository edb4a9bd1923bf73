-- Views call these for each row, under the path of whoever looks: what they call is decided here, not there. They stay
-- functions that Postgres puts into the statement; a setting would prevent that (the others get one: sql/db/set-paths.sql).
create or replace function millrace_private.metadata_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable
return '{' || p_table || ',"commit_timestamp":"' || to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    || '","commit_lsn":' || m.commit_lsn || ',"commit_idx":' || m.commit_idx
    || ',"idempotency_key":"' || m.id || '","record_pks":' || m.record_pks
    || ',"transaction_annotations":' || coalesce(m.annotations, 'null')
    || coalesce(',"unchanged_toast":' || m.unchanged_toast, '') || ',' || p_sink || '}';

create or replace function millrace_private.message_members(m millrace_private.messages, p_table text, p_sink text)
returns text language sql stable
return '"record":' || m.record || ',"changes":' || coalesce(m.changes, 'null') || ',"action":"' || m.action
    || '","metadata":' || millrace_private.metadata_text(m, p_table, p_sink);

create or replace function millrace_private.message_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable
return coalesce(m.payload, '{' || millrace_private.message_members(m, p_table, p_sink) || '}');

create or replace function millrace_private.catalog_lock() returns bigint language sql immutable return 7376000000000001;
