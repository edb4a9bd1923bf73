update <partman>.part_config
   set retention = <keep>,
       retention_keep_table = false,
       infinite_time_partitions = true
 where parent_table = <parent>
