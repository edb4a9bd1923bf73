-- The messages of several leases as read_ranges has them, for leases of any messages: no more than p_bytes of them, and one
-- message. Of each lease it has the first `sent` ones; of one that was not come to, none, and an empty text.
create or replace function millrace_private.read_leases(
  p_sink_no integer, p_tokens text[], p_sizes integer[], p_ids bigint[], p_nested boolean, p_bytes bigint,
  out messages text, out sent integer[])
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_ids bigint[];
  v_text text;
  v_last bigint;
  v_sent integer;
  v_texts text[] := '{}';
  v_before integer := 0;
begin
  sent := '{}';
  for v_place in 1 .. cardinality(p_sizes) loop
    v_ids := p_ids[v_before + 1 : v_before + p_sizes[v_place]];
    v_before := v_before + p_sizes[v_place];
    v_sent := 0;
    if cardinality(v_ids) > 0 then
      v_text := null;
      if p_bytes > 0 then
        select m.messages, m.last_id into v_text, v_last
          from millrace_private.read_messages(p_sink_no, p_tokens[v_place], v_ids, p_nested, p_bytes) m;
        v_sent := (select count(*) from unnest(v_ids) i where i <= v_last);
        p_bytes := p_bytes - coalesce(octet_length(v_text), 0);
      end if;
      v_texts := v_texts || coalesce(v_text, '');
    end if;
    sent := sent || v_sent;
  end loop;
  messages := array_to_string(v_texts, chr(30));
end
$$;
