select millrace.ack($1::text, $2::text[]) as count
