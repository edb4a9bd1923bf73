-- The worst level that there is a reason for, and all reasons, the worst first.
create or replace function millrace_private.judged(
  p_failing text[], p_unknown text[], p_warning text[], p_noted text[], out level text, out reasons text[])
language sql immutable
set search_path = pg_catalog, pg_temp as $$
  select case when cardinality(p_failing) > 0 then 'failing'
              when cardinality(p_unknown) > 0 then 'unknown'
              when cardinality(p_warning) > 0 then 'warning'
              else 'ok' end,
         p_failing || p_unknown || p_warning || p_noted
$$;
