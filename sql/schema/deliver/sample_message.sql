-- Keeps one message of a sink with its steps, for whoever looks at the sink: nothing unless somebody does, at most one a second,
-- and the last 50. p_steps: kept, shape_ms, sent_at, send_ms, outcome, stage, status, type, text; p_sent: JSON text, which jsonb
-- might refuse. A message that has gone meanwhile is not kept.
create or replace function millrace_private.sample_message(p_sink_no integer, p_id bigint, p_steps jsonb, p_sent text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from millrace_private.previews p where p.sink_no = p_sink_no and p.until > clock_timestamp())
     or exists (select from millrace_private.recent_messages r
                 where r.sink_no = p_sink_no and r.at > clock_timestamp() - interval '1 s') then
    return;
  end if;

  insert into millrace_private.recent_messages
         (sink_no, id, action, source_table, record_pks, committed_at, size, message,
          kept, shape_ms, sent_at, send_ms, sent, outcome, stage, status, type, text)
  select p_sink_no, m.id, m.action, m.source_table, m.record_pks, m.committed_at, m.size,
         case when m.size <= 32768 then '{' || millrace_private.message_members(m.message, t.metadata, s.metadata) || '}' end,
         k.kept, k.shape_ms, k.sent_at, k.send_ms, p_sent, k.outcome, k.stage, k.status, k.type, left(k.text, 2000)
    from (select 0::smallint as lane union select l.lane from millrace_private.lanes l where l.sink_no = p_sink_no) l
   cross join lateral (select o.*, o as message, octet_length(o.record) + coalesce(octet_length(o.changes), 0) as size
                         from millrace_private.messages o
                        where o.sink_no = p_sink_no and o.lane = l.lane and o.id = p_id) m
    join millrace_private.source_tables t on t.no = m.source_table
    join millrace_private.sinks s on s.no = p_sink_no
   cross join jsonb_to_record(p_steps) as k (kept boolean, shape_ms bigint, sent_at timestamptz, send_ms bigint,
                                             outcome text, stage text, status integer, type text, text text);

  delete from millrace_private.recent_messages r
   where r.sink_no = p_sink_no
     and r.seq in (select o.seq from millrace_private.recent_messages o
                    where o.sink_no = p_sink_no order by o.seq desc offset 50 for update skip locked);
end
$$;
