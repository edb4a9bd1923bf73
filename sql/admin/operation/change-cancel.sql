select millrace.cancel_operation($1::uuid) as changed
