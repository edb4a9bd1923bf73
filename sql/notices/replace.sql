-- There may be tens of thousands, found and stored, and the planner believes in a few: nothing goes through all of the ones for each
-- of the others. $3: of this table alone, which the index leads to; null: of all.
with sinks as (
  select s.no
    from millrace_private.sinks s
    left join millrace_private.databases d on d.id = s.database_id
   where d.no = $1::integer or s.id = $2::uuid
), fresh as (
  select s.no as sink_no, f.code, f.table_name, f.message,
         nullif(concat_ws('; then: ', f.remedy,
                          case when f.catch_up then millrace_private.how_to_catch_up(s.no, f.code, f.table_name) end), '') as remedy
    from jsonb_to_recordset($5::jsonb)
           as f (sink_no integer, code text, table_name text, message text, remedy text, catch_up boolean)
   cross join lateral (select coalesce(f.sink_no, (select o.no from sinks o where $2::uuid is not null)) as no) s
   where s.no in (select o.no from sinks o)
), gone as (
  delete from millrace_private.notices n
   using sinks s
   where n.sink_no = s.no and n.code = any ($4::text[])
     and n.table_name between coalesce($3::text, '')
                          and coalesce($3::text, (select max(m.table_name) from millrace_private.notices m))
     and (n.sink_no, n.code, n.table_name) not in (select f.sink_no, f.code, f.table_name from fresh f)
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select f.sink_no, f.code, f.table_name, f.message, f.remedy from fresh f
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
