-- Events of notifications carried their text and what they are about; what is kept of them holds ids alone.
update webhook_events set body = jsonb_build_object(
    'type', type,
    'timestamp', body::jsonb -> 'timestamp',
    'data', jsonb_build_object(
      'id', body::jsonb #> '{data,id}',
      'user_id', body::jsonb #> '{data,user_id}',
      'type', body::jsonb #> '{data,type}'
    )
  )::text
  where type = 'notification.created';

-- Who bought something, deleted a comment or post, or acted in a closed group is not for receivers.
update webhook_events set body = (body::jsonb #- '{data,user_id}' #- '{data,deleted_by}')::text
  where type in (
    'comment.created', 'comment.deleted', 'group.created', 'post.created', 'post.deleted', 'purchase.created',
    'reward.created', 'topic.created'
  );
