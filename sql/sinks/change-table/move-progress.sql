update <progress_table> set seq = greatest(seq, $2::bigint), written = $3::bigint[] where retention = $1::uuid
