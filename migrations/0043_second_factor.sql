-- Sign-in with a second factor: codes of an app that change every 30 seconds, and recovery codes.

create table second_factors (
  user_id bigint primary key references users on delete cascade,
  -- Sealed with the secret of the installation.
  secret text not null,
  -- Null until a code proved that the app has the secret.
  confirmed_at timestamptz,
  -- The 30 seconds of the last code that was taken: none is taken twice.
  last_step bigint not null default 0,
  -- Attempts since failures_since that did not succeed: six digits are few.
  failures integer not null default 0,
  failures_since timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create table recovery_codes (
  user_id bigint not null references second_factors on delete cascade,
  -- Keyed, like that of every other code.
  hash text not null,
  primary key (user_id, hash)
);
