-- Deletes the oldest finished order, with its lines, once there are more than 400: the playground does not grow for ever.
delete from public.orders
 where id = (select id from public.orders where status in ('delivered', 'cancelled') order by id limit 1)
   and (select count(*) from public.orders) > 400;
