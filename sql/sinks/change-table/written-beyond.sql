-- How far the retention has noted that it wrote, and the newest entry that it did write, among so many as an index finds at once.
select coalesce((select p.seq from <progress_table> p where p.retention = $1::uuid), 0)::bigint as noted,
       (select max(e.seq)
          from (select o.seq, o.source_database_id, o.source_table_schema, o.source_table_name, o.inserted_at
                  from <event_table> o order by o.seq desc limit 1000) e
         where e.source_database_id = $2::uuid and e.source_table_schema = $3::text and e.source_table_name = $4::text
           and e.inserted_at >= $5::timestamptz)::bigint as written
