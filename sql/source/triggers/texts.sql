-- The texts of rows, large ones too. Where one has more than `most` bytes, or none can be made, both are those of the key alone: all other
-- fields are null.
create or replace function millrace_capture.texts(leaf oid, rel oid, most bigint, money text, before record, after record,
                                                  out old_text text, out new_text text, out cut boolean)
  language plpgsql
  set datestyle = 'ISO' set intervalstyle = 'postgres' set extra_float_digits = '1' set bytea_output = 'hex' set lc_monetary = 'C'
  set quote_all_identifiers = off
  as $millrace$
declare
  fields text;
begin
  -- Until this function ends, as it is of the settings above.
  perform set_config('lc_monetary', money, true);
  begin
    -- Not a number where the sum has more than 31 bits.
    cut := not coalesce(pg_column_size(before) between 0 and most, true) or not coalesce(pg_column_size(after) between 0 and most, true);
    if not cut then
      old_text := textin(record_out(before));
      new_text := textin(record_out(after));
      cut := coalesce(octet_length(old_text) > most, false) or coalesce(octet_length(new_text) > most, false);
    end if;
  exception when others then
    cut := true;
  end;
  if not cut then return; end if;
  old_text := null;
  new_text := null;
  fields := (select string_agg(case when a.attname = any (k.names) then format('($1).%I', a.attname) else 'null::text' end, ', '
                               order by a.attnum)
               from pg_attribute a
              cross join (select array(select b.attname
                                         from pg_index i
                                         join pg_attribute b
                                           on b.attrelid = i.indrelid
                                              and b.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
                                        where i.indrelid = rel and i.indisprimary) as names) k
              where a.attrelid = leaf and a.attnum > 0 and not a.attisdropped);
  if before is distinct from null then
    execute format('select textin(record_out(row(%s)))', fields) into old_text using before;
  end if;
  if after is distinct from null then
    execute format('select textin(record_out(row(%s)))', fields) into new_text using after;
  end if;
exception when others then
  cut := true;
end $millrace$;
