select millrace.accept_gap($1::text) as epoch
