select millrace.pause_operation($1::uuid) as changed
