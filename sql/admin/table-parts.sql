select p.parts[1] as schema, p.parts[2] as name from (select millrace_private.table_parts($1::text) as parts) p
