-- Names as JSON, for arrays of several lengths do not fit into one. The shape is the table's, whatever it is called; null: as it was.
update millrace_private.source_tables t
   set key_columns = case when t.no = w.no then array(select k.name from json_array_elements_text(w.key_columns::json) with ordinality k (name, place)
                                                       order by k.place)
                          else t.key_columns end,
       key_shape = coalesce(w.key_shape::jsonb, t.key_shape)
  from unnest($1::integer[], $2::text[], $3::text[]) w (no, key_columns, key_shape)
  join millrace_private.source_tables k on k.no = w.no
 where t.database_no = k.database_no and t.oid = k.oid
