insert into millrace_private.operation_findings (operation_id, no, finding)
select $1::uuid, f.no, f.finding from jsonb_array_elements($2::jsonb) with ordinality f(finding, no)
