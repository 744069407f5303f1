-- Names the state of the newest comments on a feed and of its pictures and film, which lists show. Every statement that writes
-- a comment sets the counter under the lock of the feed's row, and whoever changes pictures sets their flag. Without an index on
-- the column such updates stay in place.
alter table feeds add column content_version timestamptz not null default now();
alter table feeds alter column content_version set default clock_timestamp();

create function raise_feed_version() returns trigger language plpgsql as $$
begin
  new.content_version := greatest(clock_timestamp(), old.content_version + interval '1 microsecond');
  return new;
end $$;
create trigger feeds_raise_version before update of feed_comment_count, has_images, has_video on feeds for each row
  execute function raise_feed_version();
