-- A word of a POSIX shell, in quotes where it needs them: src/model/quote.ts does the same.
create or replace function millrace_private.shell_word(p_text text) returns text language sql immutable
return case when p_text ~ '^[A-Za-z0-9_./:@%+=-]+$' then p_text else '''' || replace(p_text, '''', '''\''''') || '''' end;
