select millrace.backfill($1::text, quote_ident($2::text) || '.' || quote_ident($3::text), $4::text, $5::text) as id
