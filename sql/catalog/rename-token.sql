update millrace_private.api_tokens t set name = $2::text where t.name = $1::text
