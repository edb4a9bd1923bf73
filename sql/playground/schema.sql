-- A small shop. Several statements: this file runs by itself, in one transaction, on an empty database.
create table public.customers (
  id bigint generated always as identity primary key,
  name text not null,
  email text not null unique,
  city text not null,
  tier text not null default 'standard' check (tier in ('standard', 'silver', 'gold')),
  created_at timestamptz not null default now()
);

create table public.products (
  id bigint generated always as identity primary key,
  sku text not null unique,
  product_name text not null,
  price numeric(10, 2) not null check (price > 0),
  tags text[] not null default '{}',
  in_stock integer not null default 0 check (in_stock >= 0),
  updated_at timestamptz not null default now()
);

create table public.orders (
  id bigint generated always as identity primary key,
  customer_id bigint not null references public.customers,
  status text not null default 'open' check (status in ('open', 'paid', 'shipped', 'delivered', 'cancelled')),
  total numeric(12, 2) not null default 0,
  payload jsonb not null default '{}',
  ordered_at timestamptz not null default now()
);
create index orders_customer on public.orders (customer_id);

create table public.order_lines (
  order_id bigint not null references public.orders on delete cascade,
  line_no integer not null,
  product_id bigint not null references public.products,
  quantity integer not null check (quantity > 0),
  price numeric(10, 2) not null,
  primary key (order_id, line_no)
);
create index order_lines_product on public.order_lines (product_id);

-- With the full identity an update also carries the old values, and a delete the whole row.
alter table public.customers replica identity full;
alter table public.products replica identity full;
alter table public.orders replica identity full;
alter table public.order_lines replica identity full;

comment on table public.orders is 'Playground of Millrace: changed by itself about every two seconds.';
