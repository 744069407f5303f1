-- Notifications: what people are told, what of it they have read, and how much is unread.

-- A person's own order. The row is locked until the causing transaction ends, so `seq` is the order of commits: who has
-- seen up to n has missed nothing below n, which is what a live stream resumes by.
create table notification_cursors (
  user_id bigint primary key,
  last_seq bigint not null
) with (fillfactor = 80);

-- No foreign key to users: this module knows people by id only.
create table notifications (
  user_id bigint not null,
  seq bigint not null,
  id uuid not null,
  type text not null,
  -- 0: the system.
  sender_id bigint not null,
  data jsonb not null,
  -- What happened, to take the notification back when it is undone.
  cause_type text not null,
  cause_id bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (user_id, seq),
  constraint notifications_type_known check (type in ('at', 'comment', 'like', 'follow', 'system'))
);
create index notifications_list on notifications (user_id, type, seq desc);
create index notifications_cause on notifications (cause_type, cause_id, sender_id);

create table notification_counts (
  user_id bigint not null,
  type text not null,
  unread bigint not null default 0,
  total bigint not null default 0,
  last_seq bigint not null default 0,
  -- All up to here is read: marking a hundred thousand as read writes one row.
  read_seq bigint not null default 0,
  -- Followers up to here no longer count as mutual ones (an older counter that is cleared on its own).
  mutual_seq bigint not null default 0,
  primary key (user_id, type),
  constraint notification_counts_not_negative check (unread >= 0 and total >= unread)
) with (fillfactor = 80);

-- When a person marked a type as read, and up to where: the `read_at` of a notification is that of the first mark at or
-- after it. Deleted with the notifications it covers.
create table notification_reads (
  user_id bigint not null,
  type text not null,
  seq bigint not null,
  read_at timestamptz not null default clock_timestamp(),
  primary key (user_id, type, seq)
);
create index notification_reads_old on notification_reads (read_at);

-- When a person last cleared a counter of pins that wait for them: only later ones count.
create table pin_counters (
  user_id bigint not null,
  name text not null,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (user_id, name)
);
