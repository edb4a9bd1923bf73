with fresh as (
  insert into millrace_private.worker_beats (at) values (clock_timestamp()) returning seq
)
delete from millrace_private.worker_beats b
 using fresh f
 where b.seq between f.seq - 1000 and f.seq - 24
