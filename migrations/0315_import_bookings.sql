-- Last id of ledger_order_ids when an import booked balances. Later postings were made here, and the next run undoes them.
alter table imports add column booked_up_to bigint;
