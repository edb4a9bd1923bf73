-- Moves a database's position on from where this writer left it; else as move_position. If it is somewhere else, the message
-- database is an older copy of what the writer wrote to (a standby that was behind, a backup that was restored meanwhile), and what
-- was persisted since is gone. MR002, as when another capture has taken over: the writer must look where it is.
create or replace procedure millrace_private.move_on(
  p_database_no integer, p_generation bigint, p_catalog bigint, p_from_lsn pg_lsn, p_from_idx bigint, p_from_confirmed pg_lsn,
  p_commit_lsn pg_lsn, p_commit_idx bigint, p_confirmed_lsn pg_lsn, p_next_id bigint) language plpgsql as $$
begin
  if (select (l.commit_lsn, l.commit_idx, l.confirmed_lsn) is distinct from (p_from_lsn, p_from_idx, p_from_confirmed)
        from millrace_private.position_log l where l.database_no = p_database_no order by l.seq desc limit 1) is not false then
    raise exception 'the position is not where this capture left it' using errcode = 'MR002';
  end if;
  call millrace_private.move_position(
    p_database_no, p_generation, p_catalog, p_commit_lsn, p_commit_idx, p_confirmed_lsn, p_next_id);
end
$$;
