-- Orders that administrative lists offer, so that a page reads what it shows. What is counted with every look (plays, hits,
-- views) has none: each look would have to write it.
create index withdrawals_by_amount on withdrawals (amount, id);
create index withdrawals_by_change on withdrawals (updated_at, id);
create index recharges_by_amount on recharges (amount, id);
create index recharges_by_change on recharges (updated_at, id);
create index pins_by_amount on pins (channel, amount, id);
create index pins_by_end on pins (channel, (coalesce(expires_at, 'infinity'::timestamptz)), id);
create index music_songs_by_sort on music_songs (sort, id) where deleted_at is null;
create index music_song_counts_shares on music_song_counts (share_count, song_id);
create index music_song_counts_comments on music_song_counts (comment_count, song_id);
create index music_specials_by_sort on music_specials (sort, id) where deleted_at is null;
create index music_special_counts_collections on music_special_counts (collect_count, special_id);
create index music_special_counts_shares on music_special_counts (share_count, special_id);
create index music_special_counts_comments on music_special_counts (comment_count, special_id);
create index news_counts_likes on news_counts (digg_count, news_id);
create index news_counts_comments on news_counts (comment_count, news_id);
create index feed_topic_counts_feeds on feed_topic_counts (feeds_count, topic_id);
create index feed_topic_counts_followers on feed_topic_counts (followers_count, topic_id);
create index question_topic_counts_questions on question_topic_counts (questions_count, topic_id);
create index question_topic_counts_followers on question_topic_counts (follows_count, topic_id);
create index question_topic_counts_experts on question_topic_counts (experts_count, topic_id);
create index users_by_creation on users (created_at, id);
create index questions_by_answers on questions (answers_count, id);
create index questions_by_amount on questions (amount, id);
create index answers_by_likes on answers (likes_count, id);
create index answers_by_rewards on answers (rewards_amount, id);

-- Names of what most readers do not see, which is searched by administrators.
create index users_search_disabled on users using gin (name_grams) where deleted_at is not null;
create index groups_search_waiting on groups using gin (name_grams) where audit <> 1 and deleted_at is null;
