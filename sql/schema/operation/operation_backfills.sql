-- The backfills that have not ended, or have failed, of an operation: its own, and those of the tables that one for all has
-- become. Which these are says admin/watched.sql too.
create or replace function millrace_private.operation_backfills(p_id uuid) returns setof uuid language sql stable
set search_path = pg_catalog, pg_temp as $$
  with asked as (
    select b.no, b.id, b.kind, b.sink_no, b.ended_at
      from millrace_private.backfills b
     where b.id = p_id
        or b.id in (select k.id::uuid from millrace_private.operations o,
                           jsonb_array_elements_text(coalesce(o.kept -> 'backfills', '[]')) k(id) where o.id = p_id)
  )
  select b.id from millrace_private.backfills b join asked a on a.id = b.id
   where b.state in ('waiting', 'running', 'paused', 'failed')
   union
  select c.id from asked a
    join millrace_private.backfills c on c.sink_no = a.sink_no and c.kind = 'table'
   where a.kind = 'all' and a.ended_at is not null and c.created_at <= a.ended_at + interval '1 s'
     and (c.no > a.no or c.ended_at is null or c.ended_at >= a.ended_at)
     and c.state in ('waiting', 'running', 'paused', 'failed')
$$;
