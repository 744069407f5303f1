-- Browsers receive notifications by Web Push. The keys of a subscription lie beside its device.
alter table push_devices add column web_p256dh text, add column web_auth text;

-- The key pair that signs requests to push services. Subscriptions depend on it, so it is made once.
create table web_push_keys (
  only_row boolean primary key default true constraint web_push_keys_only_row check (only_row),
  public_key text not null,
  -- Sealed with the application secret.
  private_key text not null,
  created_at timestamptz not null default now()
);

-- Choices of people for their devices. Everything is sent without a row.
create table push_preferences (
  user_id bigint primary key references users,
  off_types text[] not null default '{}',
  shows_text boolean not null default true,
  -- Minutes after midnight in the time zone.
  quiet_from smallint,
  quiet_until smallint,
  quiet_zone text,
  updated_at timestamptz not null default now(),
  constraint push_preferences_quiet check (num_nulls(quiet_from, quiet_until, quiet_zone) in (0, 3))
);
