-- Accounts that their owners delete.

-- Erased for good: what is left is the number that content, money and records refer to.
alter table users add column erased_at timestamptz;

create table account_deletions (
  user_id bigint primary key references users on delete cascade,
  asked_at timestamptz not null default now(),
  -- Signing in before this time takes it back.
  due_at timestamptz not null,
  -- Everything of every module is done.
  finished_at timestamptz
);
create index account_deletions_due on account_deletions (due_at) where finished_at is null;
