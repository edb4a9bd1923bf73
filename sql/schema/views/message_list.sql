-- A left join, and a column that names the sink: only so are all ways to read the messages tied to their sink, and the
-- partitions of others left out. Leases are looked up only for what a receive has passed.
create or replace view millrace_private.message_list as
  select m.sink_no, m.lane, m.id, m.source_table, m.record_pks, m.action, m.committed_at,
         s.name as sink_name, t.schema_name as table_schema, t.table_name,
         case when x.state is not null then x.state
              when m.lane = 0 and m.id <= s.passed_id then
                case when (select true
                             from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                                    where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                            where r.lo < m.id and (r.dense or m.id = any (r.ids))) then 'leased'
                     else 'held' end
              else 'waiting' end as state,
         case when x.state is not null then x.attempts
              when m.lane = 0 and m.id <= s.passed_id
                   and (select true
                          from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                                 where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                         where r.lo < m.id and (r.dense or m.id = any (r.ids))) then 1
              else 0 end as attempts,
         coalesce(x.due_at,
                  case when x.state is null and m.lane = 0 and m.id <= s.passed_id then
                    (select r.until
                       from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                              where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                      where r.lo < m.id and (r.dense or m.id = any (r.ids))) end) as visible_at,
         coalesce(x.error, b.error) as error,
         x.stage, x.parked_at,
         millrace_private.message_text(m.message, t.metadata, s.metadata)::json as message,
         x.state is not distinct from 'parked' as parked
    from (select s.no, s.name, s.metadata,
                 case when s.receivable then
                   (select c.id from millrace_private.cursor_log c
                     where c.sink_no = s.no and c.lane = 0 order by c.seq desc limit 1) end as passed_id
            from millrace_private.sinks s offset 0) s
    left join lateral (select m.*, m as message, s.no as of_sink
                         from millrace_private.messages m where m.sink_no = s.no) m on true
    left join millrace_private.source_tables t on t.no = m.source_table
    left join millrace_private.delivery_states x on x.sink_no = m.sink_no and x.id = m.id
    left join millrace_private.circuits b on b.sink_no = s.no
   where m.of_sink is not null;
