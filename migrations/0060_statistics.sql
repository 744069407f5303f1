-- What administrators count: sums of finished days, and who was there lately.

-- A finished day is counted once and kept, so that a chart of a year reads some hundred rows.
create table daily_statistics (
  series text not null,
  -- UTC.
  day date not null,
  value bigint not null,
  primary key (series, day)
);

-- Up to which day a series is counted; days before it that have no row above were empty.
create table statistic_series (
  series text primary key,
  counted_until date not null
);

-- Who was there on a day. Deleted once the day is counted.
create table active_people (
  day date not null,
  user_id bigint not null,
  primary key (day, user_id)
);

-- Rows lie in the order of their creation, so a few pages of summaries serve "that day".
create index users_created on users using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index comments_created on comments using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index group_posts_created on group_posts using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index groups_created on groups using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index feed_topics_created on feed_topics using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index music_songs_created on music_songs using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index ledger_postings_created on ledger_postings using brin (created_at)
  with (pages_per_range = 16, autosummarize = on);
