-- The oldest messages of a sink that are not settled, from id $4 on, as functions see them: at most $2 of them and about $3
-- bytes, but one in any case.
select m.id, m.action, m.record, m.changes, m.metadata
  from (select o.id, o.action, o.record, o.changes, millrace_private.metadata_text(o.message, t.metadata, s.metadata) as metadata,
               sum(octet_length(o.record) + coalesce(octet_length(o.changes), 0)) over (order by o.id rows unbounded preceding)
                 - octet_length(o.record) - coalesce(octet_length(o.changes), 0) as before
          from (select k.lane from millrace_private.lanes k where k.sink_no = $1::integer union select 0::smallint) l
         cross join lateral (select m.*, m as message from millrace_private.messages m
                              where m.sink_no = $1::integer and m.lane = l.lane and m.id >= $4::bigint
                              order by m.id limit $2::integer) o
          join millrace_private.source_tables t on t.no = o.source_table
          join millrace_private.sinks s on s.no = o.sink_no
         order by o.id limit $2::integer) m
 where m.before < $3::bigint
 order by m.id
