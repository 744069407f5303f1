-- What operators see of the server: requests by the minute, and whether what it depends on answers.

-- Of all processes together: each adds what it counted. Kept for some days.
create table request_minutes (
  -- UTC, the beginning of the minute.
  at timestamptz primary key,
  requests integer not null,
  -- Answered with 5xx.
  faults integer not null,
  -- How many took how long, by the classes of request-times.ts.
  times integer[] not null
);

-- How each part was when it was last looked at.
create table health_checks (
  part text primary key,
  checked_at timestamptz not null default now(),
  -- When it was last in order; null when it never was.
  good_at timestamptz,
  -- Since when it fails, and why at the last look.
  failing_since timestamptz,
  fault text,
  constraint health_checks_whole check ((failing_since is null) = (fault is null))
);
