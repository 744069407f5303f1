-- The largest sum of refunds that the provider has told. It may be hidden behind refunds that are asked for here,
-- and counts again when one of those is refused.
alter table payments add column told_refunded bigint not null default 0;
