import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of groups: of those they own everything, of others that they are in them. */
export const groupPersonal = [
  personalTable({
    file: 'groups',
    about: { en: 'Groups you are in, with those you own', zh: '您加入及拥有的圈子' },
    table: 'group_members',
    with: ['groups', 'group_tags'],
    key: ['id'],
    columns: ['group_id', 'role', 'audit', 'disabled', 'created_at', 'updated_at'],
    extra: (sql) => sql`,
      (select g.name from groups g where g.id = t.group_id and g.deleted_at is null) as name,
      case when t.role = 'founder' then (
        select json_build_object('category_id', g.category_id, 'summary', g.summary, 'notice', g.notice,
          'mode', g.mode, 'money', g.money, 'permissions', g.permissions, 'allow_feed', g.allow_feed,
          'location', g.location, 'longitude', g.longitude, 'latitude', g.latitude, 'avatar', g.avatar,
          'audit', g.audit, 'tags', array(select x.tag_id from group_tags x where x.group_id = g.id))
        from groups g where g.id = t.group_id and g.deleted_at is null
      ) end as owned`,
  }),
  personalTable({
    file: 'group-posts',
    about: { en: 'Your posts in groups', zh: '您在圈子里的帖子' },
    table: 'group_posts',
    with: ['group_post_images'],
    key: ['id'],
    columns: [
      ...(['id', 'group_id', 'title', 'body', 'summary', 'likes_count', 'comments_count'] as const),
      ...(['collections_count', 'views_count', 'excellent_at', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`,
      array(select i.file from group_post_images i where i.post_id = t.id order by i.position) as images`,
  }),
  personalTable({
    file: 'group-reports',
    about: { en: 'What you reported in groups', zh: '您在圈子里的举报' },
    table: 'group_reports',
    key: ['id'],
    columns: [
      'id',
      'group_id',
      'type',
      'resource_id',
      'post_id',
      'subject',
      'content',
      'status',
      'created_at',
    ],
  }),
]
