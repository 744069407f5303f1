-- Where somebody is signed in, for themselves to see and end.
alter table token_families
  -- As the client calls itself, cut; null for sign-ins from before this was kept.
  add column user_agent text,
  -- The network, not the whole address.
  add column network text,
  -- Of the sign-in and of each exchange of its token, which is at most an hour apart.
  add column used_at timestamptz not null default now();
