-- By which transactions the partition, and those that it lies below, were attached: others when it was detached for a while. Null:
-- not known yet.
alter table millrace_private.partitions add column links text;
