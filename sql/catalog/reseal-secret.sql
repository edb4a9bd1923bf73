update millrace_private.sinks s set secret = $2::text where s.id = $1::uuid
