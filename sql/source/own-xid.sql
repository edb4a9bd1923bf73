-- Later transactions have higher ids. A snapshot does not tell: those that it takes for ones to come may be open already.
select pg_current_xact_id()::text as xid
