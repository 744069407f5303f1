-- Whether the passphrase encrypts the backup. Null for a failed run, and for a backup of a previous version.
alter table backup_runs add column encrypted boolean;

-- Last check of each backup, which restores it into a throw-away database.
create table backup_checks (
  -- As in backup_runs.
  place text primary key,
  checked_at timestamptz not null default now(),
  seconds double precision not null,
  -- Last line of the check's output. Null for a backup that can be restored.
  fault text
);
