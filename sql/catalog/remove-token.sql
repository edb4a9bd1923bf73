delete from millrace_private.api_tokens t where t.name = $1::text
