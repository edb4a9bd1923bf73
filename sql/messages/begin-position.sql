-- $3: the history goes on, so what was persisted of it is not persisted again.
insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
select p.database_no, coalesce(l.seq, 0) + 1, p.epoch,
       case when k.is_kept then l.commit_lsn else $2::pg_lsn end, case when k.is_kept then l.commit_idx else -1 end,
       case when $3::boolean then greatest(l.confirmed_lsn, $2::pg_lsn) else $2::pg_lsn end,
       greatest(coalesce(l.next_id, 0), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  from millrace_private.positions p
  left join lateral (select g.seq, g.next_id, g.commit_lsn, g.commit_idx, g.confirmed_lsn
                       from millrace_private.position_log g
                      where g.database_no = p.database_no
                      order by g.seq desc
                      limit 1) l on true
 cross join lateral (select $3::boolean and coalesce(l.commit_lsn >= $2::pg_lsn, false) as is_kept) k
 where p.database_no = $1::integer
