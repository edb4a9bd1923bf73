select exists (select from pg_catalog.pg_attribute a
                where a.attrelid operator(pg_catalog.=) pg_catalog.to_regclass($1::pg_catalog.text)
                  and a.attname operator(pg_catalog.=) 'transaction_annotations'
                  and a.atttypid operator(pg_catalog.=) 'pg_catalog.jsonb'::pg_catalog.regtype
                  and not a.attnotnull and a.attgenerated operator(pg_catalog.=) '' and not a.attisdropped) as takes
