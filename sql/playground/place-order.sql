-- One order of two lines. $1, $2: numbers from 0 to 1 that choose the customer and the products.
with chosen as (
  select p.id, p.price, row_number() over (order by p.id)::integer as line_no
    from (select id, price from public.products order by id
          offset floor($2::float8 * greatest((select count(*) from public.products) - 1, 0)) limit 2) as p
), placed as (
  insert into public.orders (customer_id, total, payload)
  select c.id, (select sum(line_no * price) from chosen), jsonb_build_object('channel', 'web', 'gift', false)
    from public.customers as c
   order by c.id
  offset floor($1::float8 * (select count(*) from public.customers))
   limit 1
  returning id
), lines as (
  insert into public.order_lines (order_id, line_no, product_id, quantity, price)
  select placed.id, chosen.line_no, chosen.id, chosen.line_no, chosen.price
    from placed, chosen
)
select id from placed;
