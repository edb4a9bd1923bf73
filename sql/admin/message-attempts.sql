select a.seq as id, a.id as message_id, a.attempt, a.at, a.stage, a.took_ms, a.status, a.type, a.text
  from millrace_private.attempts a
 where a.sink_no = $1::integer and a.id = $2::bigint
 order by a.seq
