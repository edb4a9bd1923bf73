-- How many messages of a sink are backing off or held behind one that does, how many are parked (`faulty`: because a function
-- failed), since when, and the error of one that waits for a routed index. Parked and held ones, of which there can be very many,
-- are counted by index, and their rows stay unread. Postgres puts it into the statement, where a figure that is not asked for costs
-- nothing; so of 200,000 parked ones no more than their number is looked for where only that is asked for, and what each has on top
-- of it is another look. Views write it out: there the reader's rights would count (views/sink_status.sql).
create or replace function millrace_private.count_states(p_sink_no integer) returns table (
  retrying bigint, parked bigint, faulty bigint, parked_since timestamptz, index_error text)
language sql stable
begin atomic
  select r.retrying + h.held, p.parked, f.faulty, t.parked_since, i.index_error
    from (select count(*) as retrying from millrace_private.delivery_states e
           where e.sink_no = p_sink_no and e.due_at is not null and e.state = 'retrying') r
   cross join (select count(*) as held from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.due_at is null and e.state <> 'parked') h
   cross join (select count(*) as parked from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.state = 'parked') p
   cross join (select count(*) as faulty from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.state = 'parked' and e.stage = 'shape') f
   cross join (select min(e.parked_at) as parked_since from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.state = 'parked') t
   cross join (select max(e.error) as index_error from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.state = 'retrying' and e.stage = 'index') i;
end;
