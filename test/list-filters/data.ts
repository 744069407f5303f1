import type { Sql } from '#platform/database'

export async function varyRows(sql: Sql): Promise<void> {
  // Gives the second searched column of webhooks and address blocks another text, because the fixture fills all text
  // columns of a row with the same text. Otherwise a match would not identify its column.
  await sql`update webhook_endpoints set description = 'y' || id`
  await sql`update address_blocks set reason = 'y' || id`

  await sql`update feed_search s set content_key = coalesce(f.feed_content, '') from feeds f where f.id = s.feed_id`
  await sql`update invitations set code = upper(code), expires_at = now() + (id - 100) * interval '1 day'`
  await sql`update group_recommends set sort_by = -group_id`
  await sql`update push_deliveries set way = (array['web', 'fcm', 'apns', 'jpush', 'gateway'])[1 + id % 5]`
  await sql`update groups set audit = 0, deleted_at = null where id in (120, 140, 160)`
  await sql`update reports set target_user = 8 where id % 3 = 0`
  await sql`update users set recommended_at = now() - id * interval '1 minute' where id between 50 and 60`
  await sql`update users set deleted_at = now() where id between 180 and 184`
  await sql`update chats set group_id = null where id <> 7`
  await sql`update im_group_members set start_position = 0`
  await sql`update pins set expires_at = now() + interval '1 day' where state = 'active' and id % 4 < 3`
  await sql`
    update pins set user_id = 1, expires_at = now() + interval '1 day',
      state = case when id % 4 = 0 and state = 'pending' then 'active' else state end
    where channel = 'group-post' and id % 3 > 0`
  await sql`update rewards set amount = 1 + id * 3 % 7`
  await sql`update rewards set rewardable_type = 'group-posts', rewardable_id = 7 where id between 20 and 30`
  await sql`update comments set commentable_type = 'musics', commentable_id = 7 where id between 60 and 70`
  await sql`
    update ledger_postings set body = 'y' || id, owner_id = case when id between 100 and 160 then 1 else owner_id end,
      amount = case when id % 4 < 2 then -amount else amount end`
  await sql`
    update pins set target_id = -id, expires_at = now() + interval '1 day',
      state = case when id > 160 then 'active' else state end
    where channel = 'news' and (state in ('pending', 'active') or id > 160)`
  await sql`update pins set target_id = -target_id where target_id < 0`
  await sql`
    update group_members set audit = 1, disabled = user_id > 40,
      role = case when user_id > 35 then 'administrator' else 'member' end
    where group_id = 9 and user_id between 20 and 45`
  // Truncates times to seconds, because the filter parameters have no fractions.
  await sql`update group_incomes set created_at = date_trunc('second', created_at)`
  await sql`update group_reports set created_at = date_trunc('second', created_at)`
}
