update millrace_private.backfills b set reason = $2::text, remedy = $3::text, moved_at = null
 where b.no = (select l.no from millrace_private.backfills l
                where l.no = $1::integer and l.state in ('waiting', 'running')
                  and (l.reason, l.remedy) is distinct from ($2::text, $3::text)
                  for no key update skip locked)
