select t.name, t.hash, t.scopes, t.weak from millrace_private.api_tokens t
