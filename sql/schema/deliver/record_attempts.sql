-- What failed in a batch, of p_kept as settle has it: entries with `failure`. Of a message all but the first and the last nine go at
-- its first attempt and each tenth one after that, so that never more than twenty are there; of a sink those beyond the last 10,000
-- each time that a thousand were written. In the transaction of the settling. Called by keep_messages.
-- Those of a message are found in an order that only the index by message gives, and deleted by their places: with statistics of a
-- table that was empty, Postgres goes through all that failed in the sink for each message.
create or replace function millrace_private.record_attempts(p_sink_no integer, p_kept jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_ids bigint[];
  v_first bigint;
  v_last bigint;
begin
  with written as (
    insert into millrace_private.attempts (sink_no, id, attempt, stage, took_ms, status, type, text)
    select p_sink_no, k.id, k.attempts, k.stage, (k.failure ->> 'took_ms')::bigint, (k.failure ->> 'status')::integer,
           left(k.failure ->> 'type', 200), left(coalesce(k.error, ''), 2000)
      from jsonb_to_recordset(p_kept) as k (id bigint, attempts integer, stage text, error text, failure jsonb)
     where k.failure is not null and k.stage is not null
    returning id, seq, attempt
  )
  select coalesce(array_agg(w.id) filter (where w.attempt % 10 = 1), '{}'), min(w.seq), max(w.seq)
    into v_ids, v_first, v_last from written w;
  if v_last is null then
    return;
  end if;

  if cardinality(v_ids) > 0 then
    delete from millrace_private.attempts a
     where a.ctid = any (array(
            select o.place
              from unnest(v_ids) i (id)
             cross join lateral (select x.ctid as place, x.seq from millrace_private.attempts x
                                  where x.sink_no = p_sink_no and x.id >= i.id and x.id <= i.id
                                  order by x.id desc, x.seq desc offset 9) o
             where o.seq > (select y.seq from millrace_private.attempts y
                             where y.sink_no = p_sink_no and y.id >= i.id and y.id <= i.id order by y.id, y.seq limit 1)));
  end if;

  if v_first / 1000 < v_last / 1000 or v_last % 1000 = 0 then
    delete from millrace_private.attempts a
     where a.sink_no = p_sink_no
       and a.seq <= (select x.seq from millrace_private.attempts x
                      where x.sink_no = p_sink_no order by x.seq desc offset 10000 limit 1);
  end if;
end
$$;
