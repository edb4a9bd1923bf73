-- What a database is in, told where one looks first.

-- streaming, although the publication lost a table that was dropped and created again, is a state of its own: its changes do
-- not come. Nobody reads from a database that no sink wants, so it is in none.
create or replace view millrace.database_status as
  select d.name as database_name,
         case when not r.is_read then null when t.count > 0 then 'table_detached' else p.state end as state,
         case when not r.is_read then null
              when t.count > 1 then format('%s; and so %s more', t.message, t.count - 1)
              when t.count = 1 then t.message
              else p.reason end as reason,
         case when not r.is_read then null when t.count > 0 then t.remedy else p.remedy end as remedy,
         case when not r.is_read then null when t.count > 0 then t.since else p.state_since end as state_since,
         p.epoch, p.slot_name, l.commit_lsn, l.confirmed_lsn
    from millrace_private.databases d
    left join millrace_private.positions p on p.database_no = d.no
    left join lateral (select g.commit_lsn, g.confirmed_lsn from millrace_private.position_log g
                        where g.database_no = d.no order by g.seq desc limit 1) l on true
   cross join lateral (select exists (select from millrace_private.sinks s where s.database_id = d.id) as is_read) r
   cross join lateral (select count(distinct n.table_name) as count, min(n.message) as message, min(n.created_at) as since,
                              (array_agg(n.remedy order by n.message))[1] as remedy
                         from millrace_private.notices n
                         join millrace_private.sinks s on s.no = n.sink_no
                        where s.database_id = d.id and p.state = 'streaming' and n.code = 'table_detached'
                          and n.remedy like 'alter publication %') t;
comment on column millrace.database_status.state is
  'starting, streaming, standby, error, needs_resync or table_detached; null: no sink reads from it.';

create or replace function millrace_private.sink_no(p_sink text) returns integer
language plpgsql stable as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.name = p_sink;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.id::text = p_sink;
  end if;
  if v_no is null then
    raise exception 'there is no sink %', quote_nullable(p_sink) using errcode = 'MR404',
      hint = 'select sink_name from millrace.sink_status';
  end if;
  return v_no;
end
$$;

-- How a sink that missed something of a table is brought up to date. Only an index can be looked into.
create function millrace_private.how_to_catch_up(p_sink_no integer, p_code text, p_table text) returns text
language sql stable as $$
  select case
           when s.kind = 'search_index' and p_code = 'added_late'
             then format('millrace backfill %s %s', s.name, t.table_name)
           when s.kind = 'search_index' then format('millrace verify %s --repair', s.name)
           when s.kind = 'pull' and p_code <> 'truncated'
             then format('millrace backfill %s %s; what it has of rows that are gone is yours to remove', s.name, t.table_name)
           else format('What it has of this table may be wrong, and is yours to mend. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
         end
    from millrace_private.sinks s,
         (select case when p_table ~ '^[a-z_][a-z0-9_.]*$' then p_table
                      else format('''"%s"''', replace(p_table, '.', '"."')) end as table_name) t
   where s.no = p_sink_no
$$;
