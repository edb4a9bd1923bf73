-- Takes one unfinished order a step on, and sets its total. $1: from 0 to 1, chooses the order.
with unfinished as (
  select id from public.orders where status in ('open', 'paid', 'shipped') order by id
), chosen as (
  select id from unfinished offset floor($1::float8 * (select count(*) from unfinished)) limit 1
)
update public.orders as o
   set status = case o.status when 'open' then 'paid' when 'paid' then 'shipped' else 'delivered' end,
       total = coalesce((select sum(l.quantity * l.price) from public.order_lines as l where l.order_id = o.id), 0)
  from chosen
 where o.id = chosen.id;
