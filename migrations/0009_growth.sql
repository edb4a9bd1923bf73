-- What a person with psql sees stays quick with ten million messages pending: a sink's messages are counted one by one up
-- to 100,000, and beyond that taken from the server's own count of rows, which the view says. What is not asked for costs
-- nothing, and the messages of one sink are found without looking at those of the others.

-- How many messages of a sink are not settled, parked ones excluded. Rows are looked for only where there can be any, for
-- deleted ones are in the way as long as somebody keeps a snapshot open: above the place of each lane, and in what a receive
-- has passed, where every message has a lease, is an exception, or is behind one of its group that is. Other lanes leave
-- nothing but exceptions behind.
-- Postgres counts a table's rows itself, as they come and go; after a crash of the server it has forgotten, until the next
-- vacuum or analyze: then the table's size stands in.
-- With its owner's rights, as the views have them: who may look at those may execute it.
create function millrace_private.count_pending(p_sink_no integer, out pending bigint, out is_estimate boolean)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  c_most constant integer := 100000;
  v_lane smallint;
  v_passed bigint;
  v_above bigint;
  v_below bigint;
  v_parked bigint;
begin
  pending := 0;
  is_estimate := false;
  for v_lane, v_passed in
    select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                              where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0)
      from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
  loop
    select count(*) into v_above
      from (select from millrace_private.messages m
             where m.sink_no = p_sink_no and m.lane = v_lane and m.id > v_passed order by m.id limit c_most + 1) f;
    select count(*) into v_parked from millrace_private.exceptions e
     where e.sink_no = p_sink_no and e.lane = v_lane and e.id > v_passed and e.state = 'parked';
    if v_lane = 0 and exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
      select count(*) into v_below
        from (select from millrace_private.messages m
               where m.sink_no = p_sink_no and m.lane = v_lane and m.id <= v_passed
                 and m.id >= least((select e.id from millrace_private.exceptions e
                                     where e.sink_no = p_sink_no and e.state <> 'parked' order by e.id limit 1),
                                   (select r.lo + 1 from millrace_private.leases r
                                     where r.sink_no = p_sink_no order by r.hi limit 1))
                 and not exists (select from millrace_private.exceptions e
                                  where e.sink_no = p_sink_no and e.id = m.id and e.state = 'parked' offset 0)
               order by m.id limit c_most + 1) f;
    else
      select count(*) into v_below from millrace_private.exceptions e
       where e.sink_no = p_sink_no and e.lane = v_lane and e.id <= v_passed and e.state <> 'parked';
    end if;
    pending := pending + greatest(v_above - v_parked, 0) + v_below;
    is_estimate := pending > c_most or v_above > c_most;
    exit when is_estimate;
  end loop;
  if is_estimate then
    select greatest(pending,
                    case when pg_catalog.pg_stat_get_live_tuples(r.oid) > c_most
                         then pg_catalog.pg_stat_get_live_tuples(r.oid)
                         else (case when r.reltuples > 0 and r.relpages > 0 then r.reltuples / r.relpages else 10 end
                               * pg_catalog.pg_relation_size(r.oid) / current_setting('block_size')::integer)::bigint end
                    - (select count(*) from millrace_private.exceptions e
                        where e.sink_no = p_sink_no and e.state = 'parked'))
      into pending
      from pg_catalog.pg_class r where r.oid = to_regclass('millrace_private.messages_' || p_sink_no);
  end if;
end
$$;

-- Commit time of a sink's first message of all, parked ones included: found in the same way.
create function millrace_private.oldest_committed_at(p_sink_no integer) returns timestamptz
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  return least(
    (select min(f.committed_at)
       from (select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                                       where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as id
               from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no
                     union select 0::smallint) l) p
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = p.lane and m.id > p.id order by m.id limit 1) f),
    (select f.committed_at
       from (select r.lo from millrace_private.leases r where r.sink_no = p_sink_no order by r.hi limit 1) r
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = 0 and m.id > r.lo order by m.id limit 1) f),
    (select f.committed_at
       from (select e.id, e.lane from millrace_private.exceptions e where e.sink_no = p_sink_no order by e.id limit 1) e
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = e.lane and m.id = e.id limit 1) f));
end
$$;

-- A left join, and a column that names the sink: only so are all ways to read the messages tied to their sink, and the
-- partitions of others left out. Leases are looked up only for what a receive has passed.
create or replace view millrace_private.message_states as
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
                 case when s.kind = 'pull' then
                   (select c.id from millrace_private.cursor_log c
                     where c.sink_no = s.no and c.lane = 0 order by c.seq desc limit 1) end as passed_id
            from millrace_private.sinks s offset 0) s
    left join lateral (select m.*, m as message, s.no as of_sink
                         from millrace_private.messages m where m.sink_no = s.no) m on true
    left join millrace_private.source_tables t on t.no = m.source_table
    left join millrace_private.exceptions x on x.sink_no = m.sink_no and x.id = m.id
    left join millrace_private.circuits b on b.sink_no = s.no
   where m.of_sink is not null;

create or replace view millrace.pending_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message
    from millrace_private.message_states m
   where not m.parked;

create or replace view millrace.parked_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message, m.stage, m.parked_at
    from millrace_private.message_states m
   where m.parked;

create or replace view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         case when s.status <> 'active' then s.status
              when b.sink_no is not null then b.reason
              when p.state not in ('streaming', 'starting', 'standby') then 'source_' || p.state
              else 'ok' end as health,
         c.pending,
         x.retrying, x.parked,
         millrace_private.oldest_committed_at(s.no) as oldest_committed_at,
         b.error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices,
         c.is_estimate as pending_is_estimate
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.positions p on p.database_no = d.no
    left join millrace_private.circuits b on b.sink_no = s.no
    left join lateral (select max(n.pending) as pending, bool_or(n.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) n) c on true
    left join lateral (select count(*) filter (where e.state in ('retrying', 'held')) as retrying,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;

create or replace view millrace.consumer_status as
  select s.name as sink_name, s.status,
         n.pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, x.held, x.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         least((select min(l.until) from millrace_private.leases l where l.sink_no = s.no),
               (select min(e.due_at) from millrace_private.exceptions e where e.sink_no = s.no and e.lane = 0)) as next_due_at,
         (select array_agg(distinct k.pid) from pg_locks k
            join pg_stat_activity a on a.pid = k.pid
           where k.locktype = 'advisory' and k.classid in (7376, 7377) and k.objid = s.no::oid and k.objsubid = 2 and k.granted
             and a.xact_start < clock_timestamp() - interval '2 s') as blocked_by,
         n.is_estimate as pending_is_estimate
    from millrace_private.sinks s
    join millrace_private.consumers c on c.sink_no = s.no
    left join lateral (select max(k.pending) as pending, bool_or(k.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) k) n on true
    left join lateral (select count(*) filter (where e.state = 'leased') as leased,
                              count(*) filter (where e.state = 'retrying') as retrying,
                              count(*) filter (where e.state = 'held') as held,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;

comment on column millrace.sink_status.pending_is_estimate is
  'More than 100,000 messages: pending is Postgres'' own count of the rows, some per cent off at times.';
comment on column millrace.consumer_status.pending_is_estimate is 'As in millrace.sink_status.';

-- They only read: then a count over millions of messages can use two processes.
alter function millrace_private.metadata_text(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.message_members(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.message_text(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.pk_text(text) parallel safe;
