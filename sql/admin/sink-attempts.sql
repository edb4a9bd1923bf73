-- Newest first, before $2 (null: from the newest on), none up to $3.
select a.seq as id, a.id as message_id, a.attempt, a.at, a.stage, a.took_ms, a.status, a.type, a.text
  from millrace_private.attempts a
 where a.sink_no = $1::integer and a.seq < coalesce($2::bigint, 9223372036854775807) and a.seq > $3::bigint
 order by a.seq desc
 limit $4::integer
