-- Identifies the state of all follows of a user, in both directions, so that processes can cache them under (id, version).
-- The default of existing rows is the time of this migration, which needs no rewrite of the table.
alter table user_counts add column relations_version timestamptz not null default now();
alter table user_counts alter column relations_version set default clock_timestamp();

-- A trigger on follows also covers imports, psql and the previous release. The rows are locked in the order of user ids, like
-- every follow locks them, because two users who follow each other concurrently would otherwise deadlock.
create function raise_relations_version() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  select array_agg(distinct side) into ids
  from links l, unnest(array[l.user_id, l.target_id]) as side;
  if ids is not null then
    perform from user_counts where user_id = any(ids) order by user_id for update;
    update user_counts
    set relations_version = greatest(clock_timestamp(), relations_version + interval '1 microsecond')
    where user_id = any(ids);
  end if;
  return null;
end $$;
create trigger user_follows_raise_version_after_insert after insert on user_follows
  referencing new table as links for each statement execute function raise_relations_version();
create trigger user_follows_raise_version_after_delete after delete on user_follows
  referencing old table as links for each statement execute function raise_relations_version();
