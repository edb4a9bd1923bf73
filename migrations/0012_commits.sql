-- Transactions of the source that were captured, by minutes and hours.
alter table millrace_private.database_counters add column commits bigint not null default 0;
