create index if not exists <event_index> on <event_table> (committed_at)
