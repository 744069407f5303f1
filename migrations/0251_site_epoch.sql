-- Transaction ids, stream positions and cached versions are valid in one history of the data. A restore, a move to
-- another database or a failover that lost commits starts another history, which is a new epoch.
create table site_epoch (
  singleton boolean primary key default true constraint site_epoch_single check (singleton),
  -- Part of event ids. Empty in the first epoch, so that event ids of earlier versions stay valid.
  name text not null default '',
  began_at timestamptz not null default now(),
  -- Why the epoch began. Null for the first epoch.
  reason text,
  -- Added to transaction ids, so that positions keep growing in a cluster whose transaction ids are lower.
  tx_offset bigint not null default 0,
  -- The database as a server last saw it. Null until then, and where PostgreSQL hides it.
  system_identifier text,
  database_oid bigint,
  table_oid bigint,
  timeline bigint,
  -- Whether commits waited for a standby. A promoted standby then has every acknowledged commit.
  is_synchronous boolean not null default false
);

-- A site that an earlier version restored has messages with transaction ids that its cluster has not reached.
insert into site_epoch (tx_offset)
select case when newest >= pg_snapshot_xmax(snapshot)::text::bigint
  then newest + 1 - pg_snapshot_xmin(snapshot)::text::bigint else 0 end
from pg_current_snapshot() as snapshot, (select coalesce(max(tx_id), 0) as newest from chat_messages) m;

-- The position of the current transaction, which is comparable over all epochs.
create function site_tx_id() returns bigint language sql stable as $$
  select pg_current_xact_id()::text::bigint + tx_offset from site_epoch
$$;

alter table chat_messages alter column tx_id set default site_tx_id();
