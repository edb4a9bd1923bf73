insert into millrace_private.migrations (name, sha256) values ($1::text, $2::text)
