-- Accounts of people at providers outside, by which they sign in. A person is known by the provider's own id, never by an
-- e-mail address, which may have changed hands.
create table linked_accounts (
  provider text not null,
  subject text not null,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default now(),
  constraint linked_accounts_taken primary key (provider, subject),
  constraint linked_accounts_one_each unique (user_id, provider)
);
