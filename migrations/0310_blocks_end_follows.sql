-- A block ends the follows of both people (relations-1). Earlier versions kept them, so that this migration ends the follows
-- beside earlier blocks. The counters are locked in the order of user ids, like every follow locks them.
with gone as (
  delete from user_follows f
  using (select user_id, target_id from user_blocks union select target_id, user_id from user_blocks) b
  where f.user_id = b.user_id and f.target_id = b.target_id
  returning f.user_id, f.target_id
),
changes as (
  select id, sum(followings) as followings, sum(followers) as followers from (
    select user_id as id, 1 as followings, 0 as followers from gone
    union all select target_id, 0, 1 from gone
  ) c group by id
),
locked as (
  select c.user_id, d.followings, d.followers from user_counts c join changes d on d.id = c.user_id
  order by c.user_id for update of c
)
update user_counts c set
  followings_count = greatest(c.followings_count - l.followings, 0),
  followers_count = greatest(c.followers_count - l.followers, 0)
from locked l where c.user_id = l.user_id;
