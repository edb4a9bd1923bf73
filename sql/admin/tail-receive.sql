select r.ack_id, split_part(r.ack_id, '-', 2)::bigint as id, r.message::text as message
  from millrace.receive($1::text, $2::integer) r
