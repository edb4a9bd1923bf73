select t.name, t.hash, t.scopes from millrace_private.api_tokens t
