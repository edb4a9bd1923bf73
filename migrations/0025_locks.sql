-- Locks that only we can take. An advisory lock is anybody's who may connect, and its number can be guessed: with one of
-- those held, receive or capture stood still, and no view said why. Instead of a number there is an empty table of this
-- schema for each lock, which is locked as a whole: nothing is written for it, who waits is served in turn, and only who has
-- rights on the table can lock it.
--
-- lock_catalog       row share: a transaction that persists changes; exclusive: a change of the catalog, when it is published
-- lock_appliers      exclusive: a change of the catalog, from its beginning
-- lock_migrations    exclusive: whoever migrates (made and taken in src/db/migrate.ts, before there is a schema)
-- turn_<sink_no>     share update exclusive: the consumer's lock, one receive after the other
-- lock_<sink_no>     X. row exclusive: shared, by acknowledgements and whatever else takes messages away; exclusive: alone, by a
--                    receive that may pass messages. (Not on the table before: Postgres would see a deadlock as soon as two
--                    wait for each other on one table, before either could give up.)
--
-- The order stays: the consumer's lock, X, the lease row, exceptions, group locks (see 0014_pull.sql).

create table millrace_private.lock_catalog ();
create table millrace_private.lock_appliers ();

-- Of groups, for two acknowledgements that each see the other's row still there (see free_groups in 0003_receive.sql).
-- 256 rows for a consumer at most, made when they are needed, locked and never updated.
create table millrace_private.group_locks (
  sink_no integer not null,
  bucket smallint not null,
  primary key (sink_no, bucket)
);

create function millrace_private.lock_groups(p_sink_no integer, p_groups bigint[]) returns void language plpgsql as $$
declare
  v_bucket smallint;
begin
  for v_bucket in
    select distinct (hashint8extended(g.group_key, p_sink_no) & 255)::smallint from unnest(p_groups) g (group_key) order by 1
  loop
    insert into millrace_private.group_locks (sink_no, bucket) values (p_sink_no, v_bucket) on conflict do nothing;
    perform from millrace_private.group_locks k where k.sink_no = p_sink_no and k.bucket = v_bucket for no key update;
  end loop;
end
$$;

-- Takes a lock of a pull consumer until the end of the transaction: its `turn`, or X `shared` or `alone`. False when there is
-- no such consumer (any more).
--
-- A transaction that has acknowledged holds X shared, and would wait for others that do the same and want to receive as
-- well: each for the other. So such a receive waits for a moment only (see patience), and then gets nothing.
create function millrace_private.lock_consumer(p_sink_no integer, p_what text) returns boolean language plpgsql as $$
begin
  case p_what
    when 'turn' then
      execute 'lock table millrace_private.turn_' || p_sink_no || ' in share update exclusive mode';
    when 'shared' then
      execute 'lock table millrace_private.lock_' || p_sink_no || ' in row exclusive mode';
    when 'alone' then
      execute 'lock table millrace_private.lock_' || p_sink_no || ' in exclusive mode';
  end case;
  return true;
exception
  when undefined_table then
    return false;
  when lock_not_available then
    if p_what <> 'shared' and current_setting('millrace.answered', true) = 'yes' then
      return false;
    end if;
    raise;
end
$$;

create function millrace_private.add_locks(p_sink_no integer) returns void language plpgsql as $$
begin
  if to_regclass('millrace_private.lock_' || p_sink_no) is null then
    execute format('create table millrace_private.turn_%s ()', p_sink_no);
    execute format('create table millrace_private.lock_%s ()', p_sink_no);
  end if;
end
$$;

-- How long a receive waits for its locks: less than half of what Postgres lets pass before it looks for a deadlock, in a
-- transaction that has acknowledged.
create function millrace_private.patience() returns text language sql stable as $$
  select case when current_setting('millrace.answered', true) = 'yes'
              then least(300, extract(epoch from current_setting('deadlock_timeout')::interval) * 400)::integer::text || 'ms'
              else '2s' end
$$;

select millrace_private.add_locks(c.sink_no) from millrace_private.consumers c;

-- The functions that lock, as they are but for the locks.
do $$
declare
  r record;
  v_text text;
begin
  for r in
    select *
      from (values
        ('publish_catalog',
         'perform pg_advisory_xact_lock(millrace_private.catalog_lock())',
         'lock table millrace_private.lock_catalog in exclusive mode'),
        ('move_position',
         'perform pg_advisory_xact_lock_shared(millrace_private.catalog_lock())',
         'lock table millrace_private.lock_catalog in row share mode'),
        ('add_sink_storage',
         'if v_sink.kind = ''pull'' then
    insert into',
         'if v_sink.kind = ''pull'' then
    perform millrace_private.add_locks(p_sink_no);
    insert into'),
        ('free_groups',
         'foreach v_group in array v_groups loop
      perform pg_advisory_xact_lock(hashint8extended(v_group, p_sink_no));
    end loop',
         'perform millrace_private.lock_groups(p_sink_no, v_groups)'),
        ('free_groups',
         '
  v_group bigint;', ''),
        ('lease_next',
         '-- One receive after the other; consumer_status shows who holds the lock.
  if pg_advisory_xact_lock(7377, p_sink_no) is null then',
         '-- One receive after the other; consumer_status shows who holds the lock.
  if current_setting(''millrace.answered'', true) = ''yes'' then
    perform set_config(''lock_timeout'', millrace_private.patience(), true);
  end if;
  if not millrace_private.lock_consumer(p_sink_no, ''turn'') then'),
        ('lease_next',
         'perform pg_advisory_xact_lock(7376, p_sink_no);',
         'if not millrace_private.lock_consumer(p_sink_no, ''alone'') then
    return;
  end if;'),
        ('answer_ids',
         'if pg_advisory_xact_lock_shared(7376, p_sink_no) is null then
    return 0;
  end if;',
         'if not millrace_private.lock_consumer(p_sink_no, ''shared'') then
    return 0;
  end if;
  -- Until the end of the transaction: see lock_consumer.
  perform set_config(''millrace.answered'', ''yes'', true);'),
        -- Of many tokens that nobody knows, none is looked at twice.
        ('answer_ids',
         'for t in select a.token, a.ids from millrace_private.parse_ack_ids(p_ack_ids) a',
         'for t in
    select a.token, a.ids
      from millrace_private.parse_ack_ids(p_ack_ids) a
     where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
        or exists (select from millrace_private.exceptions x
                    where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0)'),
        ('settle',
         'perform pg_advisory_xact_lock_shared(7376, p_sink_no)',
         'perform millrace_private.lock_consumer(p_sink_no, ''shared'')'),
        ('reveal_shaped',
         'perform pg_advisory_xact_lock(7376, p_sink_no)',
         'perform millrace_private.lock_consumer(p_sink_no, ''alone'')')
      ) as f (name, was, becomes)
  loop
    select pg_get_functiondef(p.oid) into strict v_text
      from pg_catalog.pg_proc p
     where p.pronamespace = 'millrace_private'::regnamespace and p.proname = r.name;
    if position(r.was in v_text) = 0 then
      raise exception 'millrace_private.% does not lock as expected: %', r.name, r.was;
    end if;
    execute replace(v_text, r.was, r.becomes);
  end loop;
  for r in
    select p.oid
      from pg_catalog.pg_proc p
     where p.pronamespace = 'millrace'::regnamespace and p.proname in ('retry', 'discard')
  loop
    v_text := pg_get_functiondef(r.oid);
    if position('perform pg_advisory_xact_lock_shared(7376, v_no)' in v_text) = 0 then
      raise exception '% does not lock as expected', r.oid::regprocedure;
    end if;
    execute replace(v_text, 'perform pg_advisory_xact_lock_shared(7376, v_no)',
                    'perform millrace_private.lock_consumer(v_no, ''shared'')');
  end loop;
end
$$;

drop function millrace_private.catalog_lock();

-- Who holds a lock of a consumer, or of the catalog, for longer than two seconds.
create or replace view millrace.consumer_status as
  select s.name as sink_name, s.status,
         n.pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, x.held, x.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         least((select min(l.until) from millrace_private.leases l where l.sink_no = s.no),
               (select min(e.due_at) from millrace_private.exceptions e where e.sink_no = s.no and e.lane = 0)) as next_due_at,
         (select array_agg(distinct k.pid) from pg_locks k
            join pg_class r on r.oid = k.relation
            join pg_stat_activity a on a.pid = k.pid
           where k.locktype = 'relation' and k.granted and k.mode <> 'AccessShareLock'
             and k.database = (select d.oid from pg_database d where d.datname = current_database())
             and r.relname in ('turn_' || s.no, 'lock_' || s.no)
             and r.relnamespace = (select w.oid from pg_namespace w where w.nspname = 'millrace_private')
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
