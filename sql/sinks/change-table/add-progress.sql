insert into <progress_table> (retention, seq) values ($1::uuid, 0) on conflict (retention) do nothing
