select cron.schedule(<job_name>, <schedule>, <command>)
