-- What people write to the site. Their conversation with it is this and the notices that concern them.

create table feedback (
  user_id bigint not null references users on delete cascade,
  -- Numbered together with notices: both stand in one list, whose cursor is the number.
  id bigint not null default nextval('notices_id_seq') constraint feedback_id_key unique,
  content text not null,
  -- The client's own number for what it sent.
  system_mark bigint not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);

create index notices_to_all on notices (id desc) where user_ids is null and status <> 'withdrawn';
create index notices_to_some on notices using gin (user_ids) where user_ids is not null;
