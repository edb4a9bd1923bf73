-- As lock_consumer; false when there is no such consumer (any more).
--
-- A transaction that has acknowledged holds X shared, and would wait for others that do the same and want to receive as
-- well: each for the other. So such a receive waits for a moment only (see patience), and then gets nothing. It does not begin to where
-- somebody has waited for so long that Postgres would look for a deadlock within that moment, and would end him, who has done nothing
-- wrong. Until its end millrace.answered says that it has: 'yes', or 'turn' with the number of the consumer whose turn it had before.
create or replace function millrace_private.try_lock_consumer(p_sink_no integer, p_what text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_has_answered boolean := coalesce(current_setting('millrace.answered', true) <> '', false);
begin
  if p_what <> 'shared' and v_has_answered then
    perform set_config('lock_timeout', millrace_private.patience(), true);
    if p_what = 'turn' and exists (
         select from pg_locks k
          where not k.granted and k.database = (select d.oid from pg_database d where d.datname = current_database())
            and k.relation in (to_regclass('millrace_private.turn_' || p_sink_no), to_regclass('millrace_private.lock_' || p_sink_no))
            and clock_timestamp() - k.waitstart + millrace_private.patience()::interval
                >= current_setting('deadlock_timeout')::interval) then
      return false;
    end if;
  end if;
  return millrace_private.lock_consumer(p_sink_no, p_what);
exception
  when undefined_table then
    return false;
  when lock_not_available then
    if p_what <> 'shared' and v_has_answered then
      return false;
    end if;
    raise;
end
$$;
