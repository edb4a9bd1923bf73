-- A row's key as one text, such that no two keys of a table have the same. src/model/joined-key.ts says how and why, and is
-- the same in TypeScript. The last value of a key needs no escapes: it is what is left.
create or replace function millrace_private.joined_key(p_values text[]) returns text
language plpgsql immutable parallel safe strict
set search_path = pg_catalog, pg_temp as $$
declare
  c_whole constant text := '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-([0-9]+([.][0-9]+)?|[Ii]nfinity)'
    || '|-?[0-9]+([.][0-9]+)?e[+-][0-9]+|[0-9]{4,}-[0-9]{2}-[0-9]{2}([ T][^-\\]*)?';
  v_plain text := array_to_string(p_values, '-', '');
  v_value text;
  v_joined text;
begin
  if cardinality(p_values) = 1 or length(v_plain) - length(replace(v_plain, '-', '')) < cardinality(p_values) then
    return v_plain;
  end if;
  v_joined := coalesce(p_values[cardinality(p_values)], '');
  for place in reverse cardinality(p_values) - 1..1 loop
    v_value := coalesce(p_values[place], '');
    if (v_value collate "C") ~ ('^(' || c_whole || ')$') then
      v_joined := v_value || '-' || v_joined;
    else
      v_joined := case when v_value = '' then '\.' else replace(replace(v_value, '\', '\\'), '-', '\-') end || '-' || v_joined;
      if (v_joined collate "C") ~ ('^(' || c_whole || ')(-|$)') then
        v_joined := '\' || v_joined;
      end if;
    end if;
  end loop;
  return v_joined;
end
$$;
