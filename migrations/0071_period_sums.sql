-- What rankings of a period add up, kept instead of being added up anew from everything of the last thirty days.

-- What each person got of what is not older than the period; those who got nothing are not in it.
create table period_sums (
  ranking text not null,
  period text not null,
  user_id bigint not null,
  total bigint not null,
  primary key (ranking, period, user_id)
) with (fillfactor = 80);
create index period_sums_places on period_sums (ranking, period, total desc, user_id);

-- Since when each is added up. Null: nothing is known, and all is added up anew when it is next asked for.
create table period_sum_windows (
  ranking text not null,
  period text not null,
  since timestamptz,
  primary key (ranking, period)
);

-- What has changed since then. No index: it is written with every like, and read and emptied as a whole.
create table period_sum_changes (
  ranking text not null,
  user_id bigint not null,
  -- When what changed was made, which tells the periods that it counts for.
  made_at timestamptz not null,
  by bigint not null
);
