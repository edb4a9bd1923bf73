select millrace.backfill($1::text, $2::text, $3::text, $4::text) as id
