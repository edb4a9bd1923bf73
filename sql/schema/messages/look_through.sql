-- p_looked messages of a sink, by id behind p_begin, or before it with the newest first: those that a state and a filter, of the words
-- of the management API, let pass, and the last one whether it does or not, each with its place among all of them. What passes is to
-- be compared once more: with its key, its state if that is told by its place, and its error if that is the circuit's.
-- What failed is found by its state, however much else there is, and so is what an error is looked for in, unless the circuit's is that
-- of all; what is held or leased, where no receive passes anything.
create or replace function millrace_private.look_through(
  p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_state text, p_filter jsonb)
returns table (id bigint, lane smallint, place bigint, fits boolean)
language plpgsql stable rows 10
set search_path = pg_catalog, pg_temp as $$
begin
  if p_state in ('parked', 'retrying')
     or p_state in ('held', 'leased') and not (select s.receivable from millrace_private.sinks s where s.no = p_sink_no)
     or (p_filter ->> 'error' is not null or p_filter ->> 'group' is not null)
        and not exists (select from millrace_private.circuits c where c.sink_no = p_sink_no) then
    return query select w.id, w.lane, w.place, w.fits
                   from millrace_private.look_at_states(
                          p_sink_no, p_begin, p_looked, p_is_newest, case when p_state is not null then array[p_state] end, p_filter) w;
  else
    return query select w.id, w.lane, w.place, w.fits
                   from millrace_private.look_at_messages(p_sink_no, p_begin, p_looked, p_is_newest, p_state, p_filter) w;
  end if;
end
$$;
