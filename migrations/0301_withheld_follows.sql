-- Follows with a disabled account. They leave user_follows, so that every count, list and trigger of follows excludes
-- them, and return with their id and time when both accounts are enabled.
create table withheld_follows (
  user_id bigint not null references users on delete cascade,
  target_id bigint not null references users on delete cascade,
  id bigint not null,
  created_at timestamptz not null,
  -- The unread notification of the follow, which returns with it. Null if it had been read.
  notice jsonb,
  primary key (user_id, target_id)
);
create index withheld_follows_target on withheld_follows (target_id);
