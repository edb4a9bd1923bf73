-- Takes a lock of a pull consumer until the end of the transaction: its `turn`, or X `shared` or `alone`. False when there is
-- no such consumer (any more).
--
-- A transaction that has acknowledged holds X shared, and would wait for others that do the same and want to receive as
-- well: each for the other. So such a receive waits for a moment only (see patience), and then gets nothing.
create or replace function millrace_private.lock_consumer(p_sink_no integer, p_what text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
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
