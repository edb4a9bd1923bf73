update millrace_private.positions p
   set generation = p.generation + 1
 where p.database_no = $1::integer
returning p.generation
