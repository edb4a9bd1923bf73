-- A statement's snapshot must be younger than the locks that it relies on; in any other isolation it is as old as the
-- transaction.
create or replace function millrace_private.require_read_committed() returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'this function needs a read committed transaction, this one is %',
      current_setting('transaction_isolation') using errcode = '25001',
      hint = 'begin isolation level read committed';
  end if;
end
$$;
