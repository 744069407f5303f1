-- Users who asked for a weekly mail about what they follow.
create table digest_readers (
  user_id bigint primary key,
  -- Language of the request that asked for it, because users have no stored language.
  language text not null,
  -- Begin of the period of the next mail, which is due a week later.
  since timestamptz not null default now(),
  created_at timestamptz not null default now(),
  constraint digest_readers_language check (language in ('en', 'zh'))
);
create index digest_readers_due on digest_readers (since, user_id);
