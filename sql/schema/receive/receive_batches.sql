-- As receive_together, for web roles of the release before.
create or replace procedure millrace_private.receive_batches(
  p_sink_no integer, p_batches integer[], p_nested boolean, p_bytes bigint, p_ack_tokens text[], p_ack_ids text[],
  inout acked integer[], inout committed text, inout tokens text[], inout sizes integer[], inout sent integer[],
  inout ids bigint[], inout messages text, inout more boolean, inout due_in_ms double precision) language plpgsql as $$
declare
  v_is_apart boolean;
  v_table_no integer;
begin
  call millrace_private.receive_together(p_sink_no, p_batches, p_nested, p_bytes, p_ack_tokens, p_ack_ids, false,
                                         acked, committed, tokens, sizes, sent, ids, messages, more, due_in_ms, v_is_apart, v_table_no);
end
$$;
