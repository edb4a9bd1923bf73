-- record_pks, a JSON array of texts, as people see it. Null without a key.
create or replace function millrace_private.pk_text(p_record_pks text) returns text language sql immutable parallel safe
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.joined_key(array_agg(k.value order by k.place))
    from json_array_elements_text(p_record_pks::json) with ordinality k (value, place)
$$;
