-- Number of people who follow each other with somebody. Null in rows of before, until a job has counted it.
alter table user_counts add column friends_count integer;
alter table user_counts alter column friends_count set default 0;
create index user_counts_without_friends on user_counts (user_id) where friends_count is null;

-- Triggers see follows that another transaction commits while this one waits for the counters of the two people, which a
-- statement does not: of two people who follow each other at once, the later transaction counts both as friends.
create function change_friends(changed_ids bigint[], changed_by integer) returns void language plpgsql as $$
begin
  perform from user_counts where user_id = any(changed_ids) order by user_id for update;
  update user_counts c set friends_count = c.friends_count + d.n * changed_by
  from (select id, count(*) as n from unnest(changed_ids) as id group by id) d
  where c.user_id = d.id;
end $$;

create function add_friends() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  select array_agg(id) into ids from (
    select distinct least(l.user_id, l.target_id) as one, greatest(l.user_id, l.target_id) as other
    from links l join user_follows back on back.user_id = l.target_id and back.target_id = l.user_id
  ) pairs, unnest(array[one, other]) as id;
  if ids is not null then
    perform change_friends(ids, 1);
  end if;
  return null;
end $$;
create trigger user_follows_add_friends after insert on user_follows
  referencing new table as links for each statement execute function add_friends();

create function remove_friends() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  select array_agg(id) into ids from (
    select distinct least(l.user_id, l.target_id) as one, greatest(l.user_id, l.target_id) as other
    from links l
    where exists (select from user_follows back where back.user_id = l.target_id and back.target_id = l.user_id)
      or exists (select from links back where back.user_id = l.target_id and back.target_id = l.user_id)
  ) pairs, unnest(array[one, other]) as id;
  if ids is not null then
    perform change_friends(ids, -1);
  end if;
  return null;
end $$;
create trigger user_follows_remove_friends after delete on user_follows
  referencing old table as links for each statement execute function remove_friends();
