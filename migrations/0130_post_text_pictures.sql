-- Uploads that only the text of a group post names were bound to nothing, so that other members could not load them and the
-- tidying of uploads removed them after a day. Those that are still there now belong to the post.
update file_uses u set channel = 'group:post', raw = p.id, attached_at = now()
from group_posts p
where u.channel is null and p.user_id = u.owner_id
  and p.body ~ ('@!\[[^]\n]{0,250}\]\(\s*' || u.id || '\s*\)');
