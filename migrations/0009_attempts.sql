-- What became of single messages.

-- Deliveries and shapings that failed: written when the message is settled, never where all goes well
-- (sql/schema/deliver/record_attempts.sql). Of a message the first and the last nine count, of a sink about the last 10,000.
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
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index attempts_newest on millrace_private.attempts (sink_no, seq);

-- Somebody looks at messages of the sink on their way: until then one each second is kept with its steps, the last 50 of them.
create table millrace_private.previews (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  until timestamptz not null,
  seconds integer not null          -- each look makes it go on for as long
);
create unlogged table millrace_private.recent_messages (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  seq bigint generated always as identity,
  id bigint not null,               -- of the message
  at timestamptz not null default clock_timestamp(),
  action text not null,
  source_table integer not null,
  record_pks text not null,
  committed_at timestamptz not null,
  size integer not null,            -- bytes of its JSON texts
  message text,                     -- JSON text, as it was captured; null: larger than 32 KB
  shape_ms bigint,                  -- null: the sink has no functions
  kept boolean,                     -- what its filter said
  sent_at timestamptz,
  send_ms bigint,
  sent text,                        -- JSON text of the deliveries; null: nothing was sent
  outcome text not null,            -- done | retry | park | wait | held | untried | circuit; of a pull consumer its state
  stage text,
  status integer,
  type text,
  text text,                        -- what failed, in the destination's words
  primary key (sink_no, seq)
);
