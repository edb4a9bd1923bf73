select cron.schedule(<job_name>, '*/10 * * * *', <command>)
