update millrace_private.backfills b
   set replay = b.replay || jsonb_build_object('to_seq', $2::text, 'counted', true), rows_total = $3::bigint
 where b.no = $1::integer
