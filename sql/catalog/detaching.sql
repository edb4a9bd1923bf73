select i.inhdetachpending as pending from pg_catalog.pg_inherits i where i.inhrelid = $1::regclass
