-- Notes the changes of one table, the one that sinks know, and of its partitions. Names between colons are filled in.
--
-- The write that fires it must not fail, nor wait, for anything that happens here. It runs as its owner, under a path of its own. A
-- value's text is the same whoever writes it: each setting that is set costs as much as five that are compared, so those that hardly anybody
-- changes are compared, and set in `texts` alone. No cast is asked for a text, for anybody can make one. What is
-- cached in settings of the session can be set by anybody, so it is believed in no more than a reader can check.
-- Everybody may execute it: whoever makes a partition makes its trigger. On another table it does nothing.
create or replace function millrace_capture.table_:rel:() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp set timezone = 'UTC'
  as $millrace$ -- :mark:
declare
  -- Each expression here costs a write half a microsecond: what is usual has few.
  token text := millrace_capture.token(':rel:'::regclass);
  kept text := current_setting('millrace.shape_' || tg_relid, true);
  seq bigint;
  old_text text;
  new_text text;
  cut boolean;
begin
:begin:
  -- Whoever has it switched off can delete a row that is damaged: nothing of it is looked at.
  if current_setting('millrace.capture', true) is null
     and substr(kept, 1, 36) = token and length(kept) between 37 and 52 and ltrim(substr(kept, 37), '0123456789') = ''
     and coalesce(pg_column_size(old), 0) between 0 and 32768 and coalesce(pg_column_size(new), 0) between 0 and 32768
     and tg_op <> 'TRUNCATE'
     and starts_with(current_setting('DateStyle'), 'ISO') and current_setting('IntervalStyle') = 'postgres'
     and current_setting('extra_float_digits') = '1' and current_setting('bytea_output') = 'hex'
     and current_setting('lc_monetary') = :money: and current_setting('quote_all_identifiers') = 'off' then
    seq := nextval('millrace_capture.changes_seq');
    insert into millrace_capture.changes (seq, part, rel, shape, op, old, new, old_at, new_at)
    values (seq, (seq >> 16) & 3, ':rel:', substr(kept, 37)::bigint, tg_op::"char",
            textin(record_out(old)), textin(record_out(new)), old.ctid, new.ctid);
    return null;
  end if;
  if kept is null or substr(kept, 1, 36) <> token or substr(kept, 37) !~ '^[0-9]{1,16}$' then
    kept := millrace_capture.look(tg_relid, ':rel:', token, ':known:');
    if kept is null then return null; end if;
  end if;
  if current_setting('millrace.capture', true) in ('off', 'false', 'no', '0') then
    perform millrace_capture.missed(':rel:', 'off', null);
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    if tg_relid <> ':rel:' then new_text := format('%I.%I', tg_table_schema, tg_table_name); end if;
  else
    select t.old_text, t.new_text, t.cut into old_text, new_text, cut
      from millrace_capture.texts(tg_relid, ':rel:', :most:, :money:, old, new) t;
  end if;
  seq := nextval('millrace_capture.changes_seq');
  insert into millrace_capture.changes (seq, part, rel, shape, op, old, new, old_at, new_at)
  values (seq, (seq >> 16) & 3, ':rel:', nullif(substr(kept, 37), '')::bigint, (case when cut then lower(tg_op) else tg_op end)::"char",
          old_text, new_text, old.ctid, new.ctid);
:end:
  return null;
end $millrace$;
grant execute on function millrace_capture.table_:rel:() to public;
