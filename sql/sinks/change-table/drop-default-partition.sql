declare
  spare regclass := (select p.partdefid from pg_catalog.pg_partitioned_table p
                      where p.partrelid = <event_regclass>::regclass and p.partdefid <> 0);
  used boolean;
begin
  if spare is null then return; end if;
  execute format('select exists (select from %s)', spare) into used;
  if used then raise 'partition % holds rows: move them first', spare; end if;
  execute format('drop table %s', spare);
end
