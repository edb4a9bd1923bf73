select to_regprocedure('millrace_private.claim(integer, integer, interval)') is not null
       and to_regclass('millrace.sink_status') is not null as ready
