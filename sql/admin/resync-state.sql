select d.name, s.state, s.reason, s.remedy,
       (select coalesce(json_agg(json_build_object('no', k.no, 'name', k.name, 'receivable', k.receivable,
                                            'takes_rows', k.takes_rows, 'readable', k.readable) order by k.name), '[]')
          from millrace_private.sinks k where k.database_id = d.id and k.status <> 'disabled') as sinks,
       -- Of a resync that was asked for before: those that have not ended, or what the last one made.
       (select coalesce(json_agg(b.id), '[]')
          from millrace_private.backfills b
          join millrace_private.sinks k on k.no = b.sink_no
         where k.database_id = d.id and b.resync and b.kind = 'all'
           and exists (select from millrace_private.backfills o
                        where o.sink_no = b.sink_no and o.resync and o.no >= b.no
                          and o.state in ('waiting', 'running', 'paused'))) as open_ids,
       -- One that has sent all rows still delivers and compares them.
       exists (select from millrace_private.operations o
                where o.database_no = d.no and o.kind = 'resync' and o.state in ('waiting', 'running', 'paused')) as is_asked
  from millrace_private.databases d
  join millrace.database_status s on s.database_name = d.name
 where d.name = $1::text or d.id::text = $1::text
