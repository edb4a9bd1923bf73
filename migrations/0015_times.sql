-- How far behind the source and the destinations are, in time. All null: a release wrote the row that did not say, or nothing was.

-- Of this database's clock. The first delivery of all; what was delivered before there was this column has none.
alter table millrace_private.sink_totals
  add column first_delivered_at timestamptz,
  add column last_delivered_at timestamptz,
  add column last_delivery_ms double precision; -- what was delivered last had been committed so long before

-- How long ago the source committed what this capture is at; 0: it has persisted all that it knows of.
alter table millrace_private.capture_beats add column lag_ms double precision;
