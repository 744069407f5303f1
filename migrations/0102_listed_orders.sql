-- Orders that administrative lists offer, so that a page reads what it shows. Counts (likes, comments, plays, views) have none:
-- they change with every like, and their rows are changed in place for that (docs/console.md).
create index withdrawals_by_amount on withdrawals (amount, id);
create index withdrawals_by_change on withdrawals (updated_at, id);
create index recharges_by_amount on recharges (amount, id);
create index recharges_by_change on recharges (updated_at, id);
create index pins_by_amount on pins (channel, amount, id);
create index pins_by_end on pins (channel, (coalesce(expires_at, 'infinity'::timestamptz)), id);
create index music_songs_by_sort on music_songs (sort, id) where deleted_at is null;
create index music_specials_by_sort on music_specials (sort, id) where deleted_at is null;
create index users_by_creation on users (created_at, id);
create index questions_by_amount on questions (amount, id);

-- Names of what most readers do not see, which is searched by administrators.
create index users_search_disabled on users using gin (name_grams) where deleted_at is not null;
create index groups_search_waiting on groups using gin (name_grams) where audit <> 1 and deleted_at is null;
