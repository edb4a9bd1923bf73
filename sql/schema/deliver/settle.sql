-- Settles one batch of a lane, in one transaction: p_lo..p_hi is the range read above the cursor (p_hi = p_lo: none),
-- p_kept what of it, and of what was tried again, stays and why, p_finished what was tried again and is done.
-- p_superseding: done messages that carry their row's full document, so that earlier ones of the row need not be sent.
-- Raises MR002 when the lane has another owner: nothing is written then.
--
-- Locks, always in this order: the lane's row, X (of a pull consumer), delivery states. Who discards takes the lanes' rows too:
-- otherwise it could miss what is being held behind the discarded message right now, and nobody would free that.
create or replace function millrace_private.settle(
  p_sink_no integer, p_lane integer, p_owner text, p_lo bigint, p_hi bigint,
  p_finished bigint[], p_kept jsonb, p_superseding bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0 set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_receivable boolean;
  v_kept bigint[];
  v_groups bigint[] := '{}';
  v_seq bigint;
begin
  select s.receivable into v_receivable
    from millrace_private.lanes l
    join millrace_private.sinks s on s.no = l.sink_no
   where l.sink_no = p_sink_no and l.lane = p_lane and l.owner = p_owner and l.until > clock_timestamp()
     for no key update of l;
  if not found then
    raise exception 'this lane has another owner now' using errcode = 'MR002';
  end if;
  -- A message that was put back to be shaped holds back those of its group that are shaped already, and a receive passes
  -- them. Whoever ends that acts like an acknowledgement.
  if v_receivable and (p_kept is not null or cardinality(p_finished) > 0) then
    perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  end if;

  if p_kept is not null then
    select k.kept, k.groups into v_kept, v_groups from millrace_private.keep_messages(p_sink_no, p_lane, p_kept) k;
  end if;

  if cardinality(p_superseding) > 0 then
    perform millrace_private.drop_superseded(p_sink_no, p_lane, p_superseding);
  end if;

  if cardinality(p_finished) > 0 then
    with done as (
      delete from millrace_private.delivery_states x using unnest(p_finished) f (id)
       where x.sink_no = p_sink_no and x.lane = p_lane and x.id = f.id
    ), gone as (
      delete from millrace_private.messages m using unnest(p_finished) f (id)
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id = f.id
      returning m.group_key, m.group_key2
    )
    select v_groups || coalesce(array_agg(g.group_key) filter (where g.group_key is not null), '{}')
           || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
      into v_groups from gone g;
  end if;

  if p_hi > p_lo then
    if v_kept is null then
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi;
    else
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi and m.id <> all (v_kept);
    end if;
    select coalesce((select c.seq from millrace_private.cursor_log c
                      where c.sink_no = p_sink_no and c.lane = p_lane order by c.seq desc limit 1), 0) + 1 into v_seq;
    perform millrace_private.move_cursor(p_sink_no, p_lane, v_seq, p_hi);
  end if;

  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(p_sink_no, v_groups);
  end if;
end
$$;
