-- Moves one product's price by at most a tenth. $1, $2: from 0 to 1, choose the product and the step.
update public.products
   set price = greatest(round((price * (0.9 + 0.2 * $2::float8)::numeric), 2), 1.00),
       updated_at = now()
 where id = (select id from public.products order by id offset floor($1::float8 * (select count(*) from public.products)) limit 1);
