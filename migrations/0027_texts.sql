-- Texts that people read in psql (`\d+`, `\df+`) and in notices, in plainer words. Nothing else changes.

comment on function millrace.receive(text, integer, interval) is
  'Leases messages of a pull consumer, in order per row. Acknowledge them with millrace.ack; otherwise they come again after visibility_timeout.';
comment on function millrace.ack(text, text[]) is
  'Marks these messages as done: they never come back. Returns the number of messages that it applied to; unknown ids are ignored.';
comment on function millrace.nack(text, text[], interval) is
  'Gives messages back: visible again at once, or after delay. Returns the number of messages that it applied to.';
comment on function millrace.extend(text, text[], interval) is
  'Extends leases to visibility_timeout from now. Returns the number of messages that it applied to.';
comment on function millrace.retry(text, bigint[]) is
  'Puts parked messages back at their old place, to be tried again at once. Returns their number.';
comment on function millrace.discard(text, bigint[]) is
  'Deletes messages that failed: parked, backing off or held. Returns their number. They are gone for good.';
comment on function millrace.resume(text) is 'Resumes delivery to a sink. False when it was active already.';
comment on function millrace.accept_gap(text) is
  'Starts capture of a database again after a gap, in a new epoch (returned), and sends nothing: millrace.resync also sends all rows. A slot that is gone or lost is created again when slot.create_if_not_exists is set.';
comment on function millrace.resync(text, boolean) is
  'Repairs a database that needs a resync: capture starts again in a new epoch, and all rows are sent to each of its search indexes and pull consumers. Returns the ids of these backfills. Documents of rows that were deleted meanwhile are removed by bin/millrace verify SINK --repair.';
comment on function millrace.pause_backfill(uuid) is 'Stops a backfill after its current page. False when it was not running.';
comment on function millrace.resume_backfill(uuid) is
  'Continues a paused or failed backfill where it stopped. False when it was neither.';
comment on function millrace.metrics() is
  'The figures of /metrics that the database knows, one row for each, for tools that scrape by SQL.';
comment on view millrace.sink_status is
  'One row for each sink: is it healthy (health = ok), how many messages wait, since when it fails and with what answer, and its notices with their remedies.';
comment on view millrace.consumer_status is
  'One row for each pull consumer. blocked_by: backends whose open transaction keeps receive waiting (end it, or pg_terminate_backend).';
comment on view millrace.database_status is
  'One row for each database: is it captured, and if not, why and what to do.';
comment on view millrace.backfill_status is
  'One row for each backfill, including those that have ended: its progress, what it waits for, why it failed. Its messages are pending until they are delivered: see sink_status.';
comment on column millrace.database_status.remedy is 'What to run to fix it.';
comment on column millrace.database_status.confirmed_lsn is 'Up to here the source need not keep its WAL for this slot.';
comment on column millrace.backfill_status.rows_done is 'Rows read.';
comment on column millrace.backfill_status.rows_per_second is 'While it was running.';
comment on column millrace.backfill_status.time_left is 'At that rate.';

-- The words of a remedy that no command can do; the rest of the function stays as it is.
do $$
begin
  execute replace(replace(
    pg_get_functiondef('millrace_private.how_to_catch_up(integer, text, text)'::regprocedure),
    'What it has of this table may be wrong, and is yours to mend. Then:', 'What it has of this table may be wrong: correct it there. Then:'),
    'what it has of rows that are gone is yours to remove', 'remove there what it has of rows that are gone');
end
$$;
