select from pg_publication p where p.pubname = $1::name
