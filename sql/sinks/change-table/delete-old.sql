delete from <event_table> where committed_at < now() - interval <keep>
