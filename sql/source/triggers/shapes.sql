-- Numbers of the shapes that tables have now: of table $1[n] itself, or of its partition $2[n]. What `shapes` does not have yet is
-- written there.
select s.rel::bigint as rel, array_agg(distinct pg_catalog.substr(l.kept, 2)::bigint order by pg_catalog.substr(l.kept, 2)::bigint) as numbers
  from unnest($1::oid[], $2::oid[]) s (rel, leaf)
 cross join lateral (select array(select h.no from millrace_capture.shapes h where h.rel = s.rel and h.leaf = s.leaf) as numbers) k
 cross join lateral (select millrace_capture.look(s.leaf, s.rel, '!', k.numbers) as kept) l
 where pg_catalog.length(l.kept) > 1
 group by s.rel
