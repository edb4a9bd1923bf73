alter table <progress_table> add column if not exists written bigint[] not null default '{}'
