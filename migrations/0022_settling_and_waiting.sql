-- Of a message that somebody watches: how long its batch took to be settled; null: it is not settled, or was with what was sent.
alter table millrace_private.recent_messages add column settle_ms bigint;
-- Of a web process: how many requests wait for messages, by the number of the consumer.
alter table millrace_private.processes add column waiting jsonb;
