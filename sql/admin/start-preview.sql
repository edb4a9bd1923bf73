-- Whether nobody looked before.
with before as (
  select p.until > clock_timestamp() as is_on from millrace_private.previews p where p.sink_no = $1::integer
), started as (
  insert into millrace_private.previews as p (sink_no, until, seconds)
  values ($1::integer, clock_timestamp() + $2::integer * interval '1 s', $2::integer)
  on conflict (sink_no) do update set until = excluded.until, seconds = excluded.seconds
)
select not coalesce((select b.is_on from before b), false) as is_new
