create index if not exists <seq_index> on <event_table> (seq, id)
