-- Orders of the former site that an import brought. They never change, and no balance is derived from them.
create table earlier_orders (
  -- Derived from the source and the id there, so that each run of an import gives the same.
  id bigint primary key,
  owner_id bigint not null,
  currency text not null,
  source text not null,
  source_id bigint not null,
  title text not null,
  body text,
  -- Signed: income is positive.
  amount bigint not null,
  target_type text not null,
  target_id text not null,
  -- 0 waiting, 1 done, -1 failed.
  state smallint not null,
  -- Payment provider, and the numbers of the order here and there.
  provider text,
  number text,
  provider_number text,
  refunded boolean not null default false,
  created_at timestamptz not null,
  constraint earlier_orders_currency_known check (currency in ('points', 'wallet')),
  constraint earlier_orders_state_known check (state in (-1, 0, 1))
);
create index earlier_orders_of_owner on earlier_orders (owner_id, created_at desc, id desc);
create index earlier_orders_by_time on earlier_orders (created_at, id);
create index earlier_orders_of_source on earlier_orders (source, source_id);
create index earlier_orders_by_number on earlier_orders (number) where number is not null;
create index earlier_orders_by_provider_number on earlier_orders (provider_number) where provider_number is not null;

insert into earlier_orders (id, owner_id, currency, source, source_id, title, body, amount, target_type, target_id, state,
  number, refunded, created_at)
select source_id * 4 + array_position(array['currency_orders', 'wallet_orders', 'wallet_charges', 'native_pay_orders'], source) - 1,
  owner_id, currency, source, source_id, title, body, amount, target_type, target_id, state,
  case when source = 'native_pay_orders' then target_id end,
  source = 'currency_orders' and amount > 0 and state = 0 and target_type = 'user',
  coalesce(created_at, 'epoch')
from import_orders
where source in ('currency_orders', 'wallet_orders', 'wallet_charges', 'native_pay_orders')
on conflict do nothing;
drop table import_orders;

-- Reads orders again, whose numbers an earlier version left out.
update import_chunks set checksum = '' where source_table in ('currency_orders', 'wallet_orders', 'wallet_charges', 'native_pay_orders');
