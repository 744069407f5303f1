-- Users that received a letter with the name that an import gave them.
create table import_letters (
  user_id bigint primary key,
  queued_at timestamptz not null default now()
);
