-- The message with this id, if it is parked: such a one holds nothing back.
--
-- A condition that several statements share is a function that gives rows, used as `exists (select from ...)`. Postgres puts it
-- into the statement, as an index probe, because it is stable, has no settings and is not strict; a function that gives one
-- value is called for each row. Parsed when it is made, so the path of whoever calls does not matter.
--
-- The state is looked at last: with statistics of a queue that was empty, the index of what is parked looks as good as the one by
-- id, and leads past every parked message of the sink for each question.
create or replace function millrace_private.parked(p_sink_no integer, p_id bigint) returns setof bigint
language sql stable
begin atomic
  select p.id
    from (select x.id, x.state from millrace_private.delivery_states x
           where x.sink_no = p_sink_no and x.id = p_id offset 0) p
   where p.state = 'parked';
end;
