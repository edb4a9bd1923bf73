-- Who may do what, and who did what.

-- What was changed, by whom: nothing of it is ever changed, and only what is beyond its bounds is deleted
-- (sql/schema/audit/guard_audit.sql).
create table millrace_private.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,              -- its kind and its name: token ci, user ann@example.org, cli root, file start, sql postgres
  action text not null,
  subject text not null,            -- its kind and its name: sink products-index
  before jsonb,                     -- secrets masked
  after jsonb,
  request_id text
);
create index audit_log_at on millrace_private.audit_log (at);

alter table millrace_private.api_tokens
  add column prefix text,           -- what a token begins with, so that people tell theirs apart; null: it is too short for that
  add column expires_at timestamptz,
  add column last_used_at timestamptz, -- to the minute
  add column created_by text;       -- as an actor of audit_log

create table millrace_private.users (
  id uuid primary key default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  name text,
  password text,                    -- argon2id, as `$argon2id$v=19$m=...`; null: nobody can log in
  scopes text[] not null,
  created_by text not null,         -- as an actor of audit_log
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  last_login_at timestamptz
);

create table millrace_private.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references millrace_private.users (id) on delete cascade,
  hash bytea not null unique,       -- sha256 of what the cookie holds
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(), -- to the minute
  expires_at timestamptz not null,
  address text,
  user_agent text
);
create index sessions_user_id on millrace_private.sessions (user_id);

-- Of the last hour; what is lost with a crash only lets somebody try five times more.
create unlogged table millrace_private.login_failures (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account bytea not null,           -- sha256 of the e-mail address
  address text not null
);
create index login_failures_account on millrace_private.login_failures (account, at);
create index login_failures_address on millrace_private.login_failures (address, at);

-- One row. What tells this installation from another one at the same host name, and the link by which the first person comes in.
create table millrace_private.installation (
  only_row boolean primary key default true check (only_row),
  letters text not null default translate(substr(replace(gen_random_uuid()::text, '-', ''), 1, 4), '0123456789', 'ghijklmnop'),
  setup_hash bytea,                 -- sha256
  setup_expires_at timestamptz
);
insert into millrace_private.installation default values;
