-- What the provider kept of a payment, by its statement. Its currency is that of the balance, which may be another
-- one than was charged.
alter table payments add column provider_fee bigint, add column fee_currency text;
