-- Users and topics that members' texts name, under the name in the text, so that a rename changes what readers see.
create table mentions (
  content_type text not null,
  content_id bigint not null,
  -- Folded name as in the text.
  name_key text not null,
  user_id bigint not null constraint mentions_user_id_fkey references users (id),
  constraint mentions_pkey primary key (content_type, content_id, name_key)
);
create index mentions_user on mentions (user_id);

-- Folded name of the topic in the text of the feed. Null for a topic that the author chose from a list.
alter table feed_topic_links add column name_key text;
