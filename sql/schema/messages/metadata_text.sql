-- Members of a message's metadata. What is the same for a sink or a table is spliced in here.
-- Views call this for each row, under the path of whoever looks: its body is parsed when it is made, so what it calls is
-- decided here and not there. It stays a function that Postgres puts into the statement; a setting would prevent that.
create or replace function millrace_private.metadata_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable parallel safe
return '{' || p_table || ',"commit_timestamp":"' || to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    || '","commit_lsn":' || m.commit_lsn || ',"commit_idx":' || m.commit_idx
    || ',"idempotency_key":"' || m.id || '","record_pks":' || m.record_pks
    || ',"transaction_annotations":' || coalesce(m.annotations, 'null')
    || coalesce(',"unchanged_toast":' || m.unchanged_toast, '') || ',' || p_sink || '}';
