-- Moves a database's position; called first in the transaction that copies messages in. Raises MR001 when the catalog
-- has changed since the caller matched, MR002 when another capture has taken over (the caller must stop).
create or replace procedure millrace_private.move_position(
  p_database_no integer, p_generation bigint, p_catalog bigint, p_commit_lsn pg_lsn, p_commit_idx bigint,
  p_confirmed_lsn pg_lsn, p_next_id bigint) language plpgsql as $$
declare
  v_epoch integer;
  v_seq bigint;
begin
  lock table millrace_private.lock_catalog in row share mode;
  if (select c.generation from millrace_private.catalog_state c) <> p_catalog then
    raise exception 'the catalog has changed' using errcode = 'MR001';
  end if;
  select p.epoch into v_epoch from millrace_private.positions p
   where p.database_no = p_database_no and p.generation = p_generation for no key update;
  if not found then
    raise exception 'another capture has taken over this database' using errcode = 'MR002';
  end if;
  select coalesce((select l.seq from millrace_private.position_log l where l.database_no = p_database_no
                    order by l.seq desc limit 1), 0) + 1 into v_seq;
  insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
  values (p_database_no, v_seq, v_epoch, p_commit_lsn, p_commit_idx, p_confirmed_lsn, p_next_id);
  if v_seq % 64 = 0 then
    delete from millrace_private.position_log l
     where l.database_no = p_database_no and l.seq < v_seq and l.seq >= v_seq - 128;
  end if;
end
$$;
