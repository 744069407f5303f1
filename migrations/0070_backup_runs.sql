-- When backups were made, so that every process can tell how old the last one is. Kept for a while, without contents.
create table backup_runs (
  id bigint generated always as identity primary key,
  finished_at timestamptz not null default now(),
  -- A file or an object, without credentials.
  place text not null,
  bytes bigint not null,
  seconds double precision not null,
  -- Why it failed; null for one that is whole.
  fault text
);
create index backup_runs_whole on backup_runs (finished_at desc) where fault is null;
