select ack_id, message::text as message from millrace.receive($1::text, $2::integer)
