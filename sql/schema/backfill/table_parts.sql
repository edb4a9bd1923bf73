-- `table` as a user writes it: orders, public.orders, "My Schema"."T".
create or replace function millrace_private.table_parts(p_table text) returns text[] language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
declare
  v_parts text[];
begin
  begin
    v_parts := parse_ident(p_table);
  exception when invalid_parameter_value then
    v_parts := '{}';
  end;
  if cardinality(v_parts) = 1 then
    return array['public', v_parts[1]];
  elsif cardinality(v_parts) = 2 then
    return v_parts;
  end if;
  raise exception '% names no table', quote_literal(p_table) using errcode = 'MR400',
    hint = 'Write the table as schema.table, with double quotes around names that have capitals or spaces.';
end
$$;
