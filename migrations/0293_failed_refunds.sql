-- A provider may report a refund or a payment as completed and fail it later.
alter table payment_differences
  drop constraint payment_differences_kind_known,
  add constraint payment_differences_kind_known
    check (kind in ('unknown', 'amount', 'uncredited', 'refund', 'missing', 'refund_failed', 'payment_failed'));
