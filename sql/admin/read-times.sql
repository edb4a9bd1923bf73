select $1::timestamptz > $2::timestamptz as crossed
