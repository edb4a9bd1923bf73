select j.jobid as id,
       j.active,
       j.schedule = $2::text and j.command = $3::text and j.database = $4::text as fits
  from cron.job j
 where j.jobname = $1::text
 order by fits desc, j.active desc
 limit 1
