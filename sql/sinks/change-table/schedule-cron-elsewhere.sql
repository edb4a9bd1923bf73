select cron.schedule_in_database(<job_name>, <schedule>, <command>, <database>)
