-- Those in one of the states $2, of the first $3.
select count(*)::integer as count
  from (select from millrace_private.delivery_states e
         where e.sink_no = $1::integer and e.state = any ($2::text[]) limit $3::integer) f
