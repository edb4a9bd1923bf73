select cron.schedule_in_database(<job_name>, '*/10 * * * *', <command>, <database>)
