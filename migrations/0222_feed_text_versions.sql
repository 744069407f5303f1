-- Identifies the state of a feed's text, media and topics, so that processes can cache them under (id, version). Microseconds
-- of the clock take less time to send than a timestamp. The constant default of existing rows needs no rewrite of the table.
create function version_now() returns bigint language sql as $$
  select (extract(epoch from clock_timestamp()) * 1000000)::bigint
$$;
alter table feeds add column text_version bigint not null default 0;
alter table feeds alter column text_version set default version_now();

create function raise_feed_text_version() returns trigger language plpgsql as $$
begin
  new.text_version := greatest(version_now(), old.text_version + 1);
  return new;
end $$;
create trigger feeds_raise_text_version
  before update of user_id, feed_content, feed_from, feed_mark, feed_latitude, feed_longtitude, feed_geohash, repostable_type,
    repostable_id, has_images, has_video, has_topics, created_at, updated_at, deleted_at on feeds
  for each row execute function raise_feed_text_version();

-- Skips the links of a deleted topic, because readers omit topics that they do not find, and a topic may have 100,000 feeds.
create function raise_text_versions_of_linked_feeds() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  select array_agg(distinct l.feed_id) into ids from links l
  where exists (select from feed_topics t where t.id = l.topic_id);
  if ids is not null then
    perform from feeds where id = any(ids) order by id for no key update;
    update feeds set text_version = greatest(version_now(), text_version + 1) where id = any(ids);
  end if;
  return null;
end $$;
create trigger feed_topic_links_raise_version_after_insert after insert on feed_topic_links
  referencing new table as links for each statement execute function raise_text_versions_of_linked_feeds();
create trigger feed_topic_links_raise_version_after_delete after delete on feed_topic_links
  referencing old table as links for each statement execute function raise_text_versions_of_linked_feeds();

-- Identifies the state of the names and of the visibility of all topics, which change rarely. Has one row.
create table feed_topics_version (version bigint not null);
create unique index feed_topics_version_single on feed_topics_version ((true));
insert into feed_topics_version (version) values (version_now());

create function raise_feed_topics_version() returns trigger language plpgsql as $$
begin
  update feed_topics_version set version = greatest(version_now(), version + 1);
  return null;
end $$;
create trigger feed_topics_raise_version
  after update of name, status, creator_user_id or delete on feed_topics
  for each statement execute function raise_feed_topics_version();
