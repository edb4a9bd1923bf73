-- By id, behind $2; if $13, the newest first, and before $2. $3: how many are looked at, of which those that fit are found, each with
-- its place among them; last_id: how far it looked, when that was not to the end; looked_id: in any case, null: there was nothing.
-- What failed is found by its state, however much else there is. fits: what a row that is looked at tells of itself; only those
-- that pass are looked up with all that belongs to a message, and compared once more.
with named as materialized (
  select array(select t.no from millrace_private.source_tables t where t.schema_name || '.' || t.table_name = $5::text) as tables,
         -- Part of each text of such a key, for letters and digits are written as they are.
         (select p.part from regexp_split_to_table($6::text, '[^0-9A-Za-z]+') p (part) order by length(p.part) desc limit 1) as key_part,
         (select c.error from millrace_private.circuits c where c.sink_no = $1::integer) as circuit,
         (select i.mark from millrace_private.installation i) as mark
), looked as materialized (
  select w.id, w.lane, w.fits, w.rank, row_number() over (order by w.rank) as place
    from (select m.id, m.lane, m.rank,
                 ($5::text is null or m.source_table = any (n.tables))
                 and ($6::text is null or position(n.key_part in m.record_pks) > 0)
                 and ($7::text is null or m.action = $7::text)
                 and ($9::timestamptz is null or m.committed_at >= $9::timestamptz)
                 and ($10::timestamptz is null or m.committed_at < $10::timestamptz)
                 and ($8::text is null and $11::text is null or n.circuit is not null
                      or exists (select from millrace_private.delivery_states x
                                  where x.sink_no = $1::integer and x.id = m.id and x.error is not null)) as fits
            from named n
           cross join (select k.lane from millrace_private.lanes k where k.sink_no = $1::integer union select 0::smallint) l
           cross join lateral (
             (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, o.id as rank
                from millrace_private.messages o
               where not $13::boolean and o.sink_no = $1::integer and o.lane = l.lane and o.id > $2::bigint
               order by o.id limit $3::integer)
             union all
             (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, -o.id
                from millrace_private.messages o
               where $13::boolean and o.sink_no = $1::integer and o.lane = l.lane and o.id < $2::bigint
               order by o.id desc limit $3::integer)) m
           where $4::text is null or $4::text not in ('parked', 'retrying')
           union all
          select e.id, e.lane, e.rank,
                 ($8::text is null or position(lower($8::text) in lower(coalesce(e.error, n.circuit))) > 0)
                 and ($11::text is null
                      or millrace_private.error_group(n.mark, e.stage, coalesce(e.error, n.circuit)) = $11::text)
                 and (coalesce($5::text, $6::text, $7::text) is null and $9::timestamptz is null and $10::timestamptz is null
                      or exists (select from millrace_private.messages m
                                  where m.sink_no = $1::integer and m.lane = e.lane and m.id = e.id
                                    and ($5::text is null or m.source_table = any (n.tables))
                                    and ($6::text is null or position(n.key_part in m.record_pks) > 0)
                                    and ($7::text is null or m.action = $7::text)
                                    and ($9::timestamptz is null or m.committed_at >= $9::timestamptz)
                                    and ($10::timestamptz is null or m.committed_at < $10::timestamptz))) as fits
            from named n
           cross join lateral (
             (select x.id, x.lane, x.stage, x.error, x.id as rank
                from millrace_private.delivery_states x
               where not $13::boolean and $4::text in ('parked', 'retrying') and x.sink_no = $1::integer and x.id > $2::bigint
                 and x.state = $4::text
               order by x.id limit $3::integer)
             union all
             (select x.id, x.lane, x.stage, x.error, -x.id
                from millrace_private.delivery_states x
               where $13::boolean and $4::text in ('parked', 'retrying') and x.sink_no = $1::integer and x.id < $2::bigint
                 and x.state = $4::text
               order by x.id desc limit $3::integer)) e) w
   order by w.rank limit $3::integer
), found as (
  select k.place, v.id, v.lane, v.state, v.stage, v.action, v.table_schema, v.table_name,
         millrace_private.pk_text(v.record_pks) as record_pk, v.attempts, v.error, v.committed_at, v.visible_at, v.parked_at
    from looked k
   cross join named n
    join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
   where k.fits
     and ($4::text is null or v.state = $4::text)
     and ($5::text is null or v.table_schema || '.' || v.table_name = $5::text)
     and ($6::text is null or millrace_private.pk_text(v.record_pks) = $6::text)
     and ($7::text is null or v.action = $7::text)
     and ($8::text is null or position(lower($8::text) in lower(v.error)) > 0)
     and ($9::timestamptz is null or v.committed_at >= $9::timestamptz)
     and ($10::timestamptz is null or v.committed_at < $10::timestamptz)
     and ($11::text is null or millrace_private.error_group(n.mark, v.stage, v.error) = $11::text)
   order by k.place limit $12::integer
)
select b.last_id, b.looked_id, b.looked, f.place::integer as place, f.id, f.lane, f.state, f.stage, f.action, f.table_schema, f.table_name, f.record_pk, f.attempts, f.error,
       w.status as error_status, w.type as error_type,
       to_char(f.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       f.visible_at, f.parked_at, z.size
  from (select case when count(*) = $3::integer then abs(max(k.rank)) end as last_id, abs(max(k.rank)) as looked_id,
               count(*)::integer as looked
          from looked k) b
  left join found f on true
  left join lateral (select octet_length(m.record) + coalesce(octet_length(m.changes), 0)
                            + coalesce(octet_length(m.payload), 0) as size
                       from millrace_private.messages m
                      where m.sink_no = $1::integer and m.lane = f.lane and m.id = f.id limit 1) z on true
  -- What the destination said with it, as long as that is kept.
  left join lateral (select a.status, a.type from millrace_private.attempts a
                      where f.error is not null and a.sink_no = $1::integer and a.id = f.id
                      order by a.seq desc limit 1) w on true
 order by f.place
