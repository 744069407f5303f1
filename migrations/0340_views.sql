-- Views counted since this version, apart from the content, whose wide rows every flush of views rewrote. They add to the count
-- in the row of the content, which imports and earlier versions write. No other index holds these columns, so that updates stay
-- in place. `ranked` is the part of the views that feed_hots contains.
create table feed_views (
  feed_id bigint primary key references feeds on delete cascade,
  views bigint not null,
  ranked bigint not null default 0
) with (fillfactor = 50);

create table question_views (
  question_id bigint primary key references questions on delete cascade,
  views bigint not null
) with (fillfactor = 50);

create table answer_views (
  answer_id bigint primary key references answers on delete cascade,
  views bigint not null
) with (fillfactor = 50);

create table group_post_views (
  post_id bigint primary key references group_posts on delete cascade,
  views bigint not null
) with (fillfactor = 50);
