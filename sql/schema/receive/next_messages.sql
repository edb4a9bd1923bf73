-- What a receive sees at its first look: the consumer, where it stands, whether something is due, and its next p_batch messages
-- with the place of the first one among them that is behind another of its group (blocked; null: all may go). One row; none
-- without such a consumer.
--
-- Leases that ended before the last receive looked were swept, unless the server's clock was set back since. A message that
-- capture parked on arrival has a state already. Of a large batch it is not asked for each message whether the row of an earlier
-- one has left its group: see lease_batches. Postgres puts this into the statement that calls it: see parked.
create or replace function millrace_private.next_messages(p_sink_no integer, p_batch bigint, p_now timestamptz)
returns table (
  active boolean, visibility_timeout interval, max_ack_pending integer, max_per_group integer,
  passed_id bigint, seq bigint, in_flight bigint, is_due boolean,
  ids bigint[], blocked integer, hi bigint, bytes bigint, table_no integer, has_state boolean)
language sql stable
begin atomic
  select c.active, c.visibility_timeout, c.max_ack_pending, c.max_per_group,
         coalesce(k.id, 0), coalesce(k.seq, 0), coalesce(k.in_flight, 0)::bigint,
         coalesce((select true from millrace_private.leases l
                    where l.sink_no = p_sink_no and l.until <= p_now and l.until > coalesce(k.swept_at, '-infinity')
                    order by l.until limit 1), false)
         or coalesce((select true from millrace_private.delivery_states x
                       where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= p_now
                       order by x.due_at limit 1), false),
         b.ids, b.blocked, b.hi, b.bytes, b.table_no,
         coalesce((select true from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id > coalesce(k.id, 0) and x.id <= b.hi
                    order by x.id limit 1), false)
    from millrace_private.consumers c
    left join lateral (select l.id, l.seq, l.in_flight,
                              case when l.swept_at > p_now then '-infinity' else l.swept_at end as swept_at
                         from millrace_private.cursor_log l
                        where l.sink_no = p_sink_no and l.lane = 0 order by l.seq desc limit 1) k on true
    left join lateral (
           select array_agg(f.id) as ids, array_position(array_agg(f.may), false) as blocked, max(f.id) as hi,
                  sum(f.bytes) as bytes,
                  case when min(f.source_table) = max(f.source_table) then min(f.source_table) end as table_no
             from (select m.id, m.source_table,
                          octet_length(m.record) + coalesce(octet_length(m.changes), 0)
                            + coalesce(octet_length(m.payload), 0) as bytes,
                          m.group_key2 is null
                          and not exists (select from millrace_private.messages e
                                           where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id)
                          and (p_batch > 8
                               or not exists (select from millrace_private.messages e
                                               where e.sink_no = p_sink_no and e.group_key2 = m.group_key
                                                 and e.id < m.id)) as may
                     from millrace_private.messages m
                    where m.sink_no = p_sink_no and m.lane = 0 and m.id > coalesce(k.id, 0)
                    order by m.id limit p_batch) f) b on true
   where c.sink_no = p_sink_no;
end;
