-- A receive passes at most 1,000 messages that it cannot hand out, parked ones among them: it keeps its locks for milliseconds,
-- however many were parked on arrival. The next one continues from there.
do $$
declare
  v_was constant text := 'if r.exception then
        v_passed := v_passed + 1;';
  v_becomes constant text := 'if r.exception then
        more := v_passed >= 1000;
        exit when more;
        v_passed := v_passed + 1;';
  v_text text;
begin
  select pg_get_functiondef(p.oid) into strict v_text
    from pg_catalog.pg_proc p
   where p.pronamespace = 'millrace_private'::regnamespace and p.proname = 'lease_next';
  if position(v_was in v_text) = 0 then
    raise exception 'millrace_private.lease_next does not pass over messages as expected';
  end if;
  execute replace(v_text, v_was, v_becomes);
end
$$;
