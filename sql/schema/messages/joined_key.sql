-- A row's key as one text, such that no two keys of a table have the same. src/model/joined-key.ts says how and why, and is
-- the same in TypeScript. The last value of a key needs no escapes: it is what is left. Views call this in anybody's session, and
-- what a backslash means between plain quotes is a setting there.
create or replace function millrace_private.joined_key(p_values text[]) returns text
language plpgsql immutable parallel safe strict
set search_path = pg_catalog, pg_temp as $$
declare
  c_whole constant text := '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-([0-9]+([.][0-9]+)?|[Ii]nfinity)'
    || E'|-?[0-9]+([.][0-9]+)?e[+-][0-9]+|[0-9]{4,}-[0-9]{2}-[0-9]{2}([ T][^-\\\\]*)?';
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
      v_joined := case when v_value = '' then E'\\.' else replace(replace(v_value, E'\\', E'\\\\'), '-', E'\\-') end || '-' || v_joined;
      if (v_joined collate "C") ~ ('^(' || c_whole || ')(-|$)') then
        v_joined := E'\\' || v_joined;
      end if;
    end if;
  end loop;
  return v_joined;
end
$$;
