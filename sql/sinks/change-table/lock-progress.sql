select p.seq, p.written from <progress_table> p where p.retention = $1::uuid for update
