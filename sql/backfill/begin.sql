update millrace_private.backfills b
   set state = 'running', reason = null, remedy = null, started_at = coalesce(b.started_at, clock_timestamp()),
       -- What puts a cancelled replay right begins where that one has really ended.
       position = coalesce(b.position, (select c.position from millrace_private.backfills c where c.id = (b.replay ->> 'after')::uuid)),
       moved_at = clock_timestamp(), rows_total = coalesce(b.rows_total, $2::bigint)
 where b.no = (select l.no from millrace_private.backfills l
                where l.no = $1::integer and l.state in ('waiting', 'running')
                  for no key update skip locked)
returning b.position
