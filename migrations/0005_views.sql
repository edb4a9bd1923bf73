-- What a person with psql sees.

-- What is the same for a sink is looked up before its messages, and leases only for what a receive has passed: so that
-- a million pending messages are counted by state within seconds.
create view millrace_private.message_states as
  select m.sink_no, m.lane, m.id, m.source_table, m.record_pks, m.action, m.committed_at,
         s.name as sink_name, t.schema_name as table_schema, t.table_name,
         case when x.state is not null then x.state
              when s.kind = 'pull' and m.lane = 0 then
                case when l.token is not null then 'leased'
                     when m.id <= coalesce(c.id, 0) then 'held'
                     else 'waiting' end
              else 'waiting' end as state,
         case when x.state is not null then x.attempts when l.token is not null then 1 else 0 end as attempts,
         coalesce(x.due_at, l.until) as visible_at,
         coalesce(x.error, b.error) as error,
         x.stage, x.parked_at,
         millrace_private.message_text(m, t.metadata, s.metadata)::json as message
    from millrace_private.sinks s
    left join millrace_private.circuits b on b.sink_no = s.no
    left join lateral (select c.id from millrace_private.cursor_log c
                        where c.sink_no = s.no and c.lane = 0 and s.kind = 'pull' order by c.seq desc limit 1) c on true
    join millrace_private.messages m on m.sink_no = s.no
    join millrace_private.source_tables t on t.no = m.source_table
    left join millrace_private.exceptions x on x.sink_no = m.sink_no and x.id = m.id
    left join lateral (select r.token, r.until
                         from (select l.* from millrace_private.leases l
                                where l.sink_no = m.sink_no and m.lane = 0 and m.id <= c.id
                                  and l.hi >= m.id order by l.hi limit 1) r
                        where r.lo < m.id and (r.dense or m.id = any (r.ids))) l on x.id is null;

create function millrace_private.pk_text(p_record_pks text) returns text language sql immutable as $$
  select string_agg(k.value, '-' order by k.place) from json_array_elements_text(p_record_pks::json) with ordinality k (value, place)
$$;

create view millrace.pending_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message
    from millrace_private.message_states m
   where m.state <> 'parked';
comment on view millrace.pending_messages is
  'Every message that is not settled. state: waiting, leased (a client has it), retrying (backing off until visible_at), held (behind an earlier one of its row).';

create view millrace.parked_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message, m.stage, m.parked_at
    from millrace_private.message_states m
   where m.state = 'parked';
comment on view millrace.parked_messages is
  'Messages that failed for good. millrace.retry(sink, ids) puts them back, millrace.discard(sink, ids) deletes them.';

create view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         case when s.status <> 'active' then s.status
              when b.sink_no is not null then b.reason
              when p.state not in ('streaming', 'starting', 'standby') then 'source_' || p.state
              else 'ok' end as health,
         (select count(*) from millrace_private.messages m where m.sink_no = s.no) - x.parked as pending,
         x.retrying, x.parked,
         (select min(m.committed_at) from millrace_private.messages m
           where m.sink_no = s.no and m.id = (select min(f.id) from millrace_private.messages f where f.sink_no = s.no))
           as oldest_committed_at,
         b.error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.positions p on p.database_no = d.no
    left join millrace_private.circuits b on b.sink_no = s.no
   cross join lateral (select count(*) filter (where e.state in ('retrying', 'held')) as retrying,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x;
comment on view millrace.sink_status is
  'One row a sink: is it well (health = ok), how much waits, since when it fails and with what answer, and its notices with their remedies.';

create view millrace.consumer_status as
  select s.name as sink_name, s.status,
         (select count(*) from millrace_private.messages m where m.sink_no = s.no) - x.parked as pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, x.held, x.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         millrace_private.next_due(s.no, 0) as next_due_at,
         (select array_agg(distinct k.pid) from pg_locks k
            join pg_stat_activity a on a.pid = k.pid
           where k.locktype = 'advisory' and k.classid in (7376, 7377) and k.objid = s.no::oid and k.objsubid = 2 and k.granted
             and a.xact_start < clock_timestamp() - interval '2 s') as blocked_by
    from millrace_private.sinks s
    join millrace_private.consumers c on c.sink_no = s.no
   cross join lateral (select count(*) filter (where e.state = 'leased') as leased,
                              count(*) filter (where e.state = 'retrying') as retrying,
                              count(*) filter (where e.state = 'held') as held,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x;
comment on view millrace.consumer_status is
  'One row a pull consumer. blocked_by: backends whose open transaction keeps receive waiting (end it, or pg_terminate_backend).';

create view millrace.database_status as
  select d.name as database_name, p.state, p.reason, p.remedy, p.state_since, p.epoch, p.slot_name,
         l.commit_lsn, l.confirmed_lsn
    from millrace_private.databases d
    left join millrace_private.positions p on p.database_no = d.no
    left join lateral (select g.commit_lsn, g.confirmed_lsn from millrace_private.position_log g
                        where g.database_no = d.no order by g.seq desc limit 1) l on true;
comment on view millrace.database_status is
  'One row a database: is its capture well, and if not, why and what to do.';
