create table if not exists <progress_table> (
  retention uuid primary key,
  seq bigint not null,
  written bigint[] not null default '{}'
)
