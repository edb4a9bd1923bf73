-- The first and the last nine.
select n.seq as id, n.id as message_id, n.attempt, n.at, n.stage, n.took_ms, n.status, n.type, n.text
  from (select a.seq, a.id, a.attempt, a.at, a.stage, a.took_ms, a.status, a.type, a.text,
               row_number() over (order by a.seq) as place, row_number() over (order by a.seq desc) as back
          from millrace_private.attempts a
         where a.sink_no = $1::integer and a.id = $2::bigint) n
 where n.place = 1 or n.back <= 9
 order by n.seq
