-- The currency of what the provider says. A payment of another currency than its order is a difference too.
alter table payment_differences add column found_currency text;
