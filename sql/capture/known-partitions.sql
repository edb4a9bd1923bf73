select p.root, p.oid, p.name, p.file, p.beside, p.links from millrace_private.partitions p where p.database_no = $1::integer order by p.name
