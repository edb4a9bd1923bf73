select millrace_private.how_to_catch_up($1::integer, $2::text, $3::text) as remedy
