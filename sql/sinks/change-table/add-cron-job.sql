select cron.schedule($1::text, $2::text, $3::text)
