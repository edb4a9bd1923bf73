select millrace.resume_operation($1::uuid) as changed
