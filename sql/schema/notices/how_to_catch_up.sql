-- How a sink that missed something of a table is brought up to date: a command or a statement, to be run as it is printed. Only
-- an index can be looked into. A table's name may hold anything, and is known by its parts where a change of it has come; without
-- another dot it is looked for among none, of which there may be thousands.
create or replace function millrace_private.how_to_catch_up(p_sink_no integer, p_code text, p_table text) returns text
language sql stable
set search_path = pg_catalog, pg_temp as $$
  select case
           when p_code = 'invalid_utf8'
             then format('Correct the rows, or convert the database to UTF8. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
           when s.readable and p_code = 'added_late'
             then format('bin/millrace backfill %s %s', millrace_private.shell_word(s.name), w.word)
           when s.readable
             then format('bin/millrace verify %s --repair', millrace_private.shell_word(s.name))
           when s.takes_rows and p_code <> 'truncated'
             then format('bin/millrace backfill %s %s # remove there what it has %s', millrace_private.shell_word(s.name), w.word,
                         case when p_code = 'key_changed' then 'under the former key' else 'of rows that are gone' end)
           when p_code = 'key_changed'
             then format('Whoever finds rows in it by record_pk must know both keys. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
           else format('What it has of this table may be wrong: correct it there. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
         end
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join lateral (select t.schema_name, t.table_name
                         from millrace_private.source_tables t
                        where p_table like '%.%.%' and t.database_no = d.no and t.schema_name || '.' || t.table_name = p_table
                        order by t.no desc limit 1) k on true
   cross join lateral (select millrace_private.shell_word(
                                quote_ident(coalesce(k.schema_name, split_part(p_table, '.', 1))) || '.'
                                || quote_ident(coalesce(k.table_name, substr(p_table, strpos(p_table, '.') + 1)))) as word) w
   where s.no = p_sink_no
$$;
