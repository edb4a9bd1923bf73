-- It goes on for as long as somebody looks; written each ten seconds at most.
update millrace_private.previews p
   set until = clock_timestamp() + p.seconds * interval '1 s'
 where p.sink_no = $1::integer and p.until > clock_timestamp()
   and p.until < clock_timestamp() + least(p.seconds - 1, p.seconds * 0.98) * interval '1 s'
