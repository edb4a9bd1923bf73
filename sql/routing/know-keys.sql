-- Each as JSON, for arrays of several lengths do not fit into one.
update millrace_private.source_tables t
   set key_columns = array(select k.name from json_array_elements_text(w.key_columns::json) with ordinality k (name, place) order by k.place)
  from unnest($1::integer[], $2::text[]) w (no, key_columns)
 where t.no = w.no
