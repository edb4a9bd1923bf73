-- Newest first, those behind the id $6, of the last $7 that are behind it and of that time. An actor, or a kind of them; a
-- subject likewise.
with looked as (
  select a.id, a.at, a.actor, a.action, a.subject, a.before, a.after, a.request_id
    from millrace.audit a
   where ($6::bigint is null or a.id < $6::bigint)
     and ($4::timestamptz is null or a.at >= $4::timestamptz)
     and ($5::timestamptz is null or a.at < $5::timestamptz)
   order by a.id desc
   limit $7::integer
), found as (
  select l.id, l.at, l.actor, l.action, l.subject, l.before, l.after, l.request_id
    from looked l
   where ($1::text is null or l.actor = $1::text or starts_with(l.actor, $1::text || ' '))
     and ($2::text is null or l.subject = $2::text or starts_with(l.subject, $2::text || ' '))
     and ($3::text is null or l.action = $3::text)
   order by l.id desc
   limit $8::integer
)
select f.id, f.at, f.actor, f.action, f.subject, f.before::text as before, f.after::text as after, f.request_id,
       (select case when count(*) = $7::integer then min(l.id) end from looked l) as looked_id
  from (select true) always
  left join found f on true
 order by f.id desc
