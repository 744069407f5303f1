-- The position of the transaction that read last, so that a resuming stream finds missed read events. Null for
-- positions that an earlier version stored.
alter table chat_members add column read_tx_id bigint;
