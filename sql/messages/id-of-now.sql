-- Ids of an epoch begin with the time, in microseconds, and go on one by one: whatever was given out before is lower than that.
select (extract(epoch from clock_timestamp()) * 1000000)::bigint as id
