-- Of the table that has the name now: it is seen when another one has taken it. `lists`: which publications list it, and what they
-- send of its columns and rows. `key_order`: what the order of the primary key depends on: its columns by their numbers, their types
-- and collations. (The name is put into this text, never into a comment: it may have a line break.)
select coalesce(md5(string_agg(format('%s %s %s %s', a.attnum, a.atttypid, a.attname, a.attgenerated), ',' order by a.attnum)), '')
         || ' ' || k.key_order || ' ' || $1::oid || ' ' || p.lists as fingerprint, k.key_order
  from (select coalesce(string_agg(concat_ws(' ', b.attnum, b.atttypid, b.attcollation), ',' order by p.place), '') as key_order
          from pg_catalog.pg_index i
         cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality p (attnum, place)
          join pg_catalog.pg_attribute b on b.attrelid = i.indrelid and b.attnum = p.attnum
         where i.indrelid = $1::oid and i.indisprimary) k
 cross join (select md5(coalesce(string_agg(to_jsonb(l)::text, ',' order by l.oid), '')) as lists
                from pg_catalog.pg_publication_rel l where l.prrelid = $1::oid) p
  left join pg_catalog.pg_attribute a on a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
 group by k.key_order, p.lists
