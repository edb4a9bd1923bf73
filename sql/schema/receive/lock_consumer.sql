-- Takes a lock of a pull consumer until the end of the transaction: its `turn`, or X `shared` or `alone`. Only in a transaction
-- that sees what others have committed meanwhile. Whoever waits in vain for it can tell by the statement in the error's context.
-- (No handler of errors here: it would cost a receive of one message a tenth of its time. See try_lock_consumer.)
create or replace function millrace_private.lock_consumer(p_sink_no integer, p_what text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if p_what = 'turn' then
    execute 'lock table millrace_private.turn_' || p_sink_no || ' in share update exclusive mode';
  elsif p_what = 'shared' then
    execute 'lock table millrace_private.lock_' || p_sink_no || ' in row exclusive mode';
  else
    execute 'lock table millrace_private.lock_' || p_sink_no || ' in exclusive mode';
  end if;
  return true;
end
$$;
