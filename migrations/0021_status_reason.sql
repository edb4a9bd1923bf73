-- Why somebody paused or disabled it, in their own words.
alter table millrace_private.sinks add column status_reason text;
