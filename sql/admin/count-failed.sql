-- Those in one of the states $2, of the first $3. $4: to be tried again, as in failed-messages.
select count(*)::integer as count
  from (select from millrace_private.delivery_states e
         where e.sink_no = $1::integer and e.state = any ($2::text[])
           and not ($4::boolean and millrace_private.is_key_only(e.stage, e.error)
                    and (select m.action from millrace_private.messages m
                          where m.sink_no = $1::integer and m.lane = e.lane and m.id = e.id) is distinct from 'delete')
         limit $3::integer) f
