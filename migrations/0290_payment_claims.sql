-- Amount that the payer's bank reclaimed with lost disputes. A dispute may concern a part of a payment. Earlier versions
-- counted it in `told_refunded`.
alter table payments add column lost_amount bigint not null default 0;
-- The dispute that `dispute` describes, because a payment may have several.
alter table payments add column dispute_number text;
