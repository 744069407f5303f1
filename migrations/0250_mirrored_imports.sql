-- A later run of the move leaves what a first run of the same source would. It reads rows again whose own range did not
-- change, if what they refer to did.

-- What a range of the source decided about rows that other tables refer to, before it is read again, and what has
-- changed since. Changed facts stay until a run finishes, so that an interrupted run continues with them.
create table import_facts (
  source_table text not null,
  chunk bigint not null,
  kind text not null,
  id bigint not null,
  was text,
  changed boolean not null default false,
  primary key (source_table, chunk, kind, id)
);
create index import_facts_changed on import_facts (kind) where changed;

-- Finished runs: only after the first are new rows compared with what was there.
alter table imports add column finished_runs integer not null default 0;
update imports set finished_runs = 1 where finished_at is not null;

-- Each wallet of the source has its own row, so that one that is read again does not overwrite another.
alter table import_balances add column source text not null default '';
alter table import_balances drop constraint import_balances_pkey;
alter table import_balances add primary key (owner_id, currency, source);

-- Ranges imported by an earlier version are read again.
update import_chunks set checksum = '';
