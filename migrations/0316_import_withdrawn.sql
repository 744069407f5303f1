-- Unread notifications about deleted content, which an import withdrew. A later run brings them when the content returned.
create table import_withdrawn (
  user_id bigint not null,
  id uuid not null,
  cause_type text not null,
  cause_id bigint not null,
  primary key (user_id, id)
);
