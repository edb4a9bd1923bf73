insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
select p.database_no, coalesce(l.seq, 0) + 1, p.epoch, $2::pg_lsn, -1, $2::pg_lsn,
       greatest(coalesce(l.next_id, 0), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  from millrace_private.positions p
  left join lateral (select g.seq, g.next_id
                       from millrace_private.position_log g
                      where g.database_no = p.database_no
                      order by g.seq desc
                      limit 1) l on true
 where p.database_no = $1::integer
