-- Values of more than 2 KB are compressed with lz4, or, where the server was built without it, not at all. pglz, the usual method,
-- takes 15 us a kilobyte to write, more than everything else that becomes of a message together; lz4 takes a fifth. Partitions
-- are made like this table. One that somebody reads right now stays as it is: it works, and is slower with large rows.
do $$
declare
  v_as text := case when exists (select from pg_settings s
                                  where s.name = 'default_toast_compression' and 'lz4' = any (s.enumvals))
                    then 'compression lz4' else 'storage external' end;
  v_sql text := format('alter table only %%s alter column record set %1$s, alter column changes set %1$s, alter column payload set %1$s', v_as);
  v_timeout text := current_setting('lock_timeout');
  v_partition regclass;
begin
  execute format(v_sql, 'millrace_private.messages');
  -- Whoever goes by way of that table waits now: the rest must be quick.
  for v_partition in
    select i.inhrelid from pg_inherits i where i.inhparent = 'millrace_private.messages'::regclass order by 1
  loop
    begin
      perform set_config('lock_timeout', '20ms', true);
      execute format(v_sql, v_partition);
    exception when lock_not_available then
      null;
    end;
    perform set_config('lock_timeout', v_timeout, true);
  end loop;
end $$;
