-- Deletes messages that failed: parked, backing off or held. Returns how many. Takes the lanes' rows first: see settle.
-- Counts them in its own transaction: whoever gives up is a person, who comes rarely, also by psql.
create or replace function millrace.discard(sink text, ids bigint[]) returns integer language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer;
  v_groups bigint[];
begin
  perform from millrace_private.lanes l where l.sink_no = v_no order by l.lane for no key update;
  perform millrace_private.lock_consumer(v_no, 'shared');
  with dropped as (
    delete from millrace_private.delivery_states x
     where x.sink_no = v_no and x.id = any (discard.ids) and x.state in ('parked', 'retrying', 'held')
    returning x.id
  ), gone as (
    delete from millrace_private.messages m using dropped d where m.sink_no = v_no and m.id = d.id
    returning m.group_key, m.group_key2
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
         || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
    into v_count, v_groups from gone g;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(v_no, v_groups);
  end if;
  if v_count > 0 then
    perform pg_notify('millrace_messages', v_no::text);
    perform millrace_private.record_sink('discard', v_no, jsonb_build_object('messages', v_count), null);
    perform millrace_private.add_counters(jsonb_build_array(jsonb_build_object('sink_no', v_no, 'discarded', v_count)));
  end if;
  return v_count;
end
$$;
comment on function millrace.discard(text, bigint[]) is
  'Deletes messages that failed: parked, backing off or held. Returns their number. They are gone for good.';
