-- What a table is like now, as a number behind `token`; kept in the session until the token is another one. Null: the trigger is none
-- of ours, but was put on another table, or restored from a dump.
--
-- The number is made of the shape, so `shapes` is not read: a serializable transaction would get conflicts by it. `known`: numbers
-- that are committed. Another one is written, and kept until the transaction ends alone, for it may be rolled back. Who asks of all
-- tables (shapes.sql, with the token !) has them kept under one name: before Postgres 16 a name more costs a session as much as it has names.
-- A transaction with an old snapshot does not see the catalogs as its rows are, so names and types are compared with those of
-- the row type, which is always the present one.
create or replace function millrace_capture.look(leaf oid, rel oid, token text, known bigint[]) returns text
  language plpgsql as $millrace$
declare
  stored text[];
  shown text[];
  columns jsonb;
  names text[];
  types oid[];
  def jsonb;
  no bigint;
begin
  if leaf <> rel and not rel = any (array(select a.relid::oid from pg_partition_ancestors(leaf) a (relid))) then return null; end if;
  select coalesce(jsonb_agg(jsonb_build_object('name', a.attname, 'type', a.atttypid::bigint, 'typmod', a.atttypmod,
                                               'key', k.place is not null, 'virtual', a.attgenerated = 'v',
                                               'stored', a.attgenerated = 's')
                            -- Another expression is another shape: where the column is computed, it is computed by that one.
                            || case a.attgenerated when 's' then jsonb_build_object('expression', d.oid::bigint) else '{}' end
                            -- So is another order of the key, or another column of that name.
                            || case when k.place is null then '{}' else jsonb_build_object('place', k.place, 'number', k.attnum) end
                            order by a.attnum), '[]')
    into columns
    from pg_attribute a
   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   left join (select b.attname, b.attnum, p.place
                from pg_index i
               cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality p (attnum, place)
                join pg_attribute b on b.attrelid = i.indrelid and b.attnum = p.attnum
               where i.indrelid = rel and i.indisprimary) k on k.attname = a.attname
   where a.attrelid = leaf and a.attnum > 0 and not a.attisdropped;
  shown := (pg_identify_object_as_address('pg_class'::regclass, rel, 0)).object_names;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    stored := (pg_identify_object_as_address('pg_class'::regclass, leaf, 0)).object_names;
    execute format('select array(select json_object_keys(row_to_json(r))) from (select (null::%I.%I).*) r', stored[1], stored[2])
       into names;
    execute format('select array[%s]::oid[] from (select (null::%I.%I).*) r',
                   (select string_agg(format('pg_typeof(r.%I)', n.name), ', ' order by n.place)
                      from unnest(names) with ordinality n (name, place)), stored[1], stored[2])
       into types;
    if (select array_agg((c.value ->> 'name', (c.value ->> 'type')::oid)::text order by c.place)
          from jsonb_array_elements(columns) with ordinality c (value, place))
       is distinct from (select array_agg((n.name, n.type)::text order by n.place)
                           from unnest(names, types) with ordinality n (name, type, place)) then
      select jsonb_agg(jsonb_build_object('name', n.name, 'type', n.type::bigint, 'typmod', -1,
                                          'key', coalesce((c.value ->> 'key')::boolean, false),
                                          'virtual', coalesce((c.value ->> 'virtual')::boolean, false),
                                          'stored', coalesce((c.value ->> 'stored')::boolean, false))
                       || coalesce(c.value - array['name', 'type', 'typmod', 'key', 'virtual', 'stored', 'expression'], '{}') order by n.place)
        into columns
        from unnest(names, types) with ordinality n (name, type, place)
        left join jsonb_array_elements(columns) c (value) on c.value ->> 'name' = n.name;
    end if;
  end if;
  def := jsonb_build_object('rel', rel::bigint, 'leaf', leaf::bigint, 'schema', shown[1], 'name', shown[2], 'columns', columns);
  no := ('x' || substr(encode(sha256(convert_to(def::text, getdatabaseencoding())), 'hex'), 1, 13))::bit(52)::bigint;
  if not no = any (known) then
    insert into millrace_capture.shapes (no, rel, leaf, def) values (no, rel, leaf, def);
  end if;
  return set_config('millrace.shape_' || case token when '!' then 'asked' else leaf::text end, token || no, not no = any (known));
exception when others then
  -- Better a change that nobody can read, and that is told of, than a write that fails.
  return token;
end $millrace$;
