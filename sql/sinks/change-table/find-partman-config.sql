select p.retention::interval is not distinct from make_interval(secs => $2::double precision)
         and not p.retention_keep_table and p.infinite_time_partitions as keeps,
       p.partition_interval::interval = make_interval(secs => $3::double precision) as interval_fits
  from <partman>.part_config p
 where p.parent_table = $1::text
