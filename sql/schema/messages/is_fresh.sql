-- Written every 5 s. What lies in the future was written before the clock was set back, and says nothing.
create or replace function millrace_private.is_fresh(p_at timestamptz) returns boolean language sql volatile
return coalesce(p_at between clock_timestamp() - interval '15 s' and clock_timestamp() + interval '15 s', false);
