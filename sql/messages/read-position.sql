select p.epoch, p.system_identifier, p.left_system, p.timeline, p.database_oid, p.slot_name, p.former_slots, p.publication_oid,
       l.commit_lsn, l.commit_idx, l.confirmed_lsn, l.next_id
  from millrace_private.positions p
  join lateral (select g.commit_lsn, g.commit_idx, g.confirmed_lsn, g.next_id
                  from millrace_private.position_log g
                 where g.database_no = p.database_no
                 order by g.seq desc
                 limit 1) l on true
 where p.database_no = $1::integer
