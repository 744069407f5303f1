-- The name is unlike any other column's, because the previous release joins users with tables whose columns it names alone.
-- Names the state of what is shown of a person, so that processes may keep it under (id, version) without invalidation.
-- The default of existing rows is the time of this migration, which takes no rewrite of the table.
alter table users add column content_version timestamptz not null default now();
alter table users alter column content_version set default clock_timestamp();

-- A trigger covers every writer, imports included. Rows of users change seldom: counters are in user_counts.
create function raise_user_version() returns trigger language plpgsql as $$
begin
  new.content_version := greatest(clock_timestamp(), old.content_version + interval '1 microsecond');
  return new;
end $$;
create trigger users_raise_version before update on users for each row execute function raise_user_version();
