-- Names the errors of a stage that differ in their numbers alone, and tells nothing of their text to whoever does not know the
-- mark of the installation.
create or replace function millrace_private.error_group(p_mark uuid, p_stage text, p_error text) returns text
language sql stable parallel safe
return left(encode(sha256(convert_to(
         p_mark::text || coalesce(p_stage, '') || ' ' || coalesce(millrace_private.error_shape(p_error), ''), 'UTF8')), 'hex'), 16);
