-- Moving a whole community here from the database of another product, in as many runs as it takes.

-- The move, of which a database sees one: people, ids and addresses come along, so nothing may be here before.
create table imports (
  one boolean primary key default true constraint imports_single check (one),
  -- What is moved, such as `thinksns`.
  source text not null,
  -- What the first run was told and later ones have to be told again: the time zone, what becomes of waiting payments.
  options jsonb not null,
  runs integer not null default 0,
  started_at timestamptz not null default now(),
  -- Of the last run; null while it runs or after it was stopped.
  finished_at timestamptz,
  -- Set by the administrator: from then on this database goes its own way.
  closed_at timestamptz
);

-- A range of rows of a source table, written in one transaction with what it brought. A later run reads again only the
-- ranges whose checksum is another.
create table import_chunks (
  source_table text not null,
  chunk bigint not null,
  checksum text not null,
  rows bigint not null,
  -- rows = imported + merged + left_out
  imported bigint not null,
  merged bigint not null,
  left_out bigint not null,
  primary key (source_table, chunk),
  constraint import_chunks_whole check (rows = imported + merged + left_out)
);

-- What became of rows that are not here as they were: one line each, for the report.
create table import_notes (
  id bigint generated always as identity primary key,
  source_table text not null,
  chunk bigint not null,
  row_key text not null,
  outcome text not null,
  reason text not null,
  constraint import_notes_outcome_known check (outcome in ('merged', 'left out', 'mended'))
);
create index import_notes_chunk on import_notes (source_table, chunk);

-- What rows became that could not keep their id, or have none here.
create table import_targets (
  source_table text not null,
  source_id bigint not null,
  target text not null,
  primary key (source_table, source_id)
);

-- What people owned in the source. The last step of a run books what is missing to it.
create table import_balances (
  owner_id bigint not null,
  currency text not null,
  amount bigint not null,
  primary key (owner_id, currency)
);

-- Movements of before the move, to be read only: the balance they led to is booked as one entry.
create table import_orders (
  owner_id bigint not null,
  currency text not null,
  source text not null,
  source_id bigint not null,
  title text not null,
  body text,
  -- Signed: what came in or went out.
  amount bigint not null,
  target_type text not null,
  target_id text not null,
  -- 0 waits, 1 done, -1 failed.
  state smallint not null,
  created_at timestamptz,
  primary key (owner_id, currency, source, source_id)
);

-- Contents of files in the source. Bytes are copied once for each person who used them there.
create table import_files (
  id bigint primary key,
  -- Below the folder of files, and part of old addresses.
  path text not null,
  mime text not null,
  width integer,
  height integer
);
create index import_files_path on import_files (path);

-- The file that each content became for each person.
create table import_uploads (
  content_id bigint not null,
  owner_id bigint not null,
  file_id bigint not null,
  primary key (content_id, owner_id)
);
create index import_uploads_file on import_uploads (file_id);

-- Pictures that rows show by their path, not by an upload: `place` is the column that wants them.
create table import_pictures (
  place text not null,
  id bigint not null,
  owner_id bigint not null,
  node text not null,
  path text not null,
  primary key (place, id)
);
create index import_pictures_path on import_pictures (path);

-- Paid before the move: the ledger has no posting of it.
alter table pins add column settled_before boolean not null default false;
alter table purchases add column settled_before boolean not null default false;
alter table rewards add column settled_before boolean not null default false;
alter table checkin_logs add column settled_before boolean not null default false;
