-- One node of a site runs its jobs, and the others stand by. The node renews the lease every two seconds.
-- A row that expires also covers a node that is frozen, whose database sessions would stay.
create table worker_lease (
  singleton boolean primary key default true check (singleton),
  node uuid,
  leased_until timestamptz not null default '-infinity'
);

insert into worker_lease default values;
