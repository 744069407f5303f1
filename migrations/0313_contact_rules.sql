-- Audiences of comments on the content of user_id, and of mentions, quotes and messages to user_id (relations-7). Without a row
-- everybody may.
create table contact_rules (
  user_id bigint primary key references users on delete cascade,
  comments text not null default 'everybody',
  mentions text not null default 'everybody',
  quotes text not null default 'everybody',
  messages text not null default 'everybody',
  updated_at timestamptz not null default now(),
  constraint contact_rules_audiences check (
    array[comments, mentions, quotes, messages] <@ array['everybody', 'followed', 'nobody'])
);
