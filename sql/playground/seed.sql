-- 40 customers, 24 products, 120 orders with one to four lines; the same rows every time.
insert into public.customers (name, email, city, tier, created_at)
select first || ' ' || last,
       lower(first || '.' || last || i || '@example.com'),
       (array['Lisbon', 'Porto', 'Vienna', 'Graz', 'Utrecht', 'Leeds', 'Lyon', 'Turin'])[1 + i % 8],
       (array['standard', 'standard', 'standard', 'silver', 'gold'])[1 + i % 5],
       now() - make_interval(days => 400 - i * 9)
  from generate_series(0, 39) as i,
       lateral (select (array['Ann', 'Bruno', 'Carla', 'Daan', 'Elif', 'Femke', 'Gil', 'Hana', 'Ivo', 'Jun'])[1 + i % 10] as first,
                       (array['Weber', 'Silva', 'Novak', 'Okafor', 'Jansen', 'Moreau', 'Rossi'])[1 + i % 7] as last) as names
 order by i;

insert into public.products (sku, product_name, price, tags, in_stock)
select format('%s-%s', upper(left(thing, 3)), lpad((10 + ordinality)::text, 3, '0')),
       material || ' ' || thing,
       round(4.9 + ordinality * 3.35, 2),
       array[lower(thing), lower(material)],
       200
  from unnest(
         array['Linen', 'Oak', 'Steel', 'Wool', 'Glass', 'Clay', 'Cork', 'Brass',
               'Walnut', 'Cotton', 'Slate', 'Paper', 'Copper', 'Birch', 'Felt', 'Stone',
               'Bamboo', 'Tin', 'Leather', 'Marble', 'Ash', 'Silk', 'Iron', 'Cedar'],
         array['Apron', 'Board', 'Kettle', 'Blanket', 'Carafe', 'Bowl', 'Mat', 'Lamp',
               'Tray', 'Towel', 'Coaster', 'Notebook', 'Pan', 'Stool', 'Slippers', 'Mortar',
               'Basket', 'Box', 'Strap', 'Bookend', 'Shelf', 'Scarf', 'Hook', 'Chest']
       ) with ordinality as stock (material, thing, ordinality)
 order by ordinality;

insert into public.orders (customer_id, status, payload, ordered_at)
select 1 + (i * 7) % 40,
       (array['delivered', 'delivered', 'shipped', 'paid', 'open', 'cancelled'])[1 + i % 6],
       jsonb_build_object('channel', (array['web', 'shop', 'phone'])[1 + i % 3], 'gift', i % 9 = 0),
       now() - make_interval(hours => (120 - i) * 6)
  from generate_series(0, 119) as i
 order by i;

insert into public.order_lines (order_id, line_no, product_id, quantity, price)
select o.id, line, p.id, 1 + (o.id + line) % 3, p.price
  from public.orders as o
 cross join lateral generate_series(1, 1 + (o.id % 4)::integer) as line
  join public.products as p on p.id = 1 + (o.id * 5 + line * 3) % 24;

update public.orders as o
   set total = (select sum(l.quantity * l.price) from public.order_lines as l where l.order_id = o.id);
