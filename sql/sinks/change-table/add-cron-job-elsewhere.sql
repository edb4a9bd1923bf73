select cron.schedule_in_database($1::text, $2::text, $3::text, $4::text)
