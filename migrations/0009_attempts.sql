-- Deliveries and shapings that failed: written when the message is settled, never where all goes well
-- (sql/schema/deliver/record_attempts.sql). Of a message the first and the last nine, of a sink about the last 10,000.
create table millrace_private.attempts (
  sink_no integer not null,
  id bigint not null,               -- of the message
  seq bigint generated always as identity,
  attempt integer not null,         -- deliveries until then, since somebody last put it back
  at timestamptz not null default clock_timestamp(),
  stage text not null,              -- shape | send | settle
  took_ms bigint,                   -- the request, or the call of the functions, that it was part of
  status integer,                   -- of an answer over HTTP
  type text,                        -- the destination's word for the kind of error
  text text not null,               -- its own words, at most 2,000 characters: they may quote a row
  primary key (sink_no, id, seq)
);
create index attempts_newest on millrace_private.attempts (sink_no, seq);
