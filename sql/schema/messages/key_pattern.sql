-- What record_pks, a JSON array of texts, is like for each row whose key people see as p_key (pk_text): to be compared with the
-- key itself then. Letters and digits are in both as they are, and at the ends too; what lies between them may be written otherwise.
create or replace function millrace_private.key_pattern(p_key text) returns text language sql immutable parallel safe
set search_path = pg_catalog, pg_temp as $$
  select case when p_key ~ '^[0-9A-Za-z]' then '["' else '%' end
         || regexp_replace(p_key, '[^0-9A-Za-z]+', '%', 'g')
         || case when p_key ~ '[0-9A-Za-z]$' then '"]' else '%' end
$$;
