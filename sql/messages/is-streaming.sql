-- Does a capture of database $1 stream that says so here?
select exists (select from millrace_private.positions p
                 join millrace_private.capture_beats b on b.database_no = p.database_no and b.generation = p.generation
                where p.database_no = $1::integer and millrace_private.is_fresh(b.at))
       and not exists (select from millrace_private.positions p
                         join millrace_private.capture_beats b on b.database_no = p.database_no and b.generation = -p.generation
                        where p.database_no = $1::integer) as streaming
