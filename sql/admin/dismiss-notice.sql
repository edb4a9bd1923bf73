select millrace.dismiss($1::text, $2::text) as dismissed
