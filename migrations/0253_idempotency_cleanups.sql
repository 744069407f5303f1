-- Counts the hourly cleanups of stored replies. A clock that was wrong makes replies look old: a payment that is repeated
-- afterwards would take effect twice. A reply therefore expires by the clock and by the number of cleanups that it has seen.
create sequence idempotency_cleanups;
select nextval('idempotency_cleanups');

create function idempotency_cleanup() returns bigint language sql stable as
  'select last_value from idempotency_cleanups';

alter table idempotency_keys add column cleanup bigint not null default 0;
alter table idempotency_keys alter column cleanup set default idempotency_cleanup();
