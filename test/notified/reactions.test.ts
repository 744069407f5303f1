import { createCast, type Row } from '#test/fixtures/notified.ts'

const {
  CONTENT,
  MUSIC,
  anna,
  cleo,
  dora,
  as,
  comment,
  like,
  at,
  named,
  next,
  say,
  system,
  mentioning,
  idOf,
  later,
  content,
  createGroup,
  join,
  post,
  group,
  tell,
} = await createCast()

const LIKED = [
  ['feed', 'like', 'My feed'],
  ['news', 'likes', 'My article'],
  ['answer', 'likes', 'Half past ten'],
  ['post', 'likes', 'A post'],
] as const

tell('sends notifications of follows, comments, likes and mentions', [
  {
    what: 'notifies a user of a new follower',
    async scene(by) {
      await as(by, 'DELETE', `/user/followings/${anna.id}`)
      const data = {
        contents: '',
        sender: named(by),
        ...named(by),
        commentable: { type: 'users', id: anna.id },
      }
      return {
        act: () => as(by, 'PUT', `/user/followings/${anna.id}`),
        told: [{ who: anna, type: 'follow', data }],
      }
    },
  },
  ...CONTENT.flatMap(({ name, type, path, make }): Row[] => [
    {
      what: `notifies the author and the replied user of a comment (${name})`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => say(by, path(id), { reply_user: cleo.id }),
          told: [comment(anna, by, { type, id }, false), comment(cleo, by, { type, id }, true)],
        }
      },
    },
    {
      what: `sends the author one notification of a comment that replies to the author (${name})`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => say(by, path(id), { reply_user: anna.id }),
          told: [comment(anna, by, { type, id }, true)],
        }
      },
    },
  ]),
  ...MUSIC.map(
    ({ name, type, path, make }): Row => ({
      what: `notifies the replied user of a comment (${name})`,
      async scene(by) {
        const id = await make(by)
        return {
          act: () => say(by, path(id), { reply_user: anna.id }),
          told: [comment(anna, by, { type, id }, true)],
        }
      },
    }),
  ),
  ...LIKED.map(([name, verb, contents]): Row => {
    const { type, path, make } = content(name)
    return {
      what: `notifies the author of a like (${name})`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => as(by, 'POST', `${path(id)}/${verb}`),
          told: [like(anna, by, { type, id }, contents)],
        }
      },
    }
  }),
  {
    what: 'notifies each user mentioned in a feed once, regardless of case',
    async scene(by) {
      const text = mentioning(anna.name, anna.name.toUpperCase(), cleo.name, 'nobody_of_this_name', '%')
      return later(
        async () => {
          const resource = { type: 'feeds', id: await idOf('feeds') }
          return [at(anna, by, resource, text), at(cleo, by, resource, text)]
        },
        () => as(by, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: `m${next()}` }),
      )
    },
  },
  {
    what: 'notifies the users mentioned in a post',
    async scene(by) {
      const text = mentioning(anna.name, cleo.name)
      return later(
        async () => {
          const resource = { type: 'group-posts', id: await idOf('group_posts') }
          const plain = text.replaceAll('\u00AD', '')
          return [at(anna, by, resource, plain), at(cleo, by, resource, plain)]
        },
        () => as(by, 'POST', `/groups/${group}/posts`, { title: 'A post', body: text, summary: 'x' }),
      )
    },
  },
  ...[...CONTENT, content('song')].map(
    ({ name, type, path, make }): Row => ({
      what: `notifies the users mentioned in a comment, and the author if any (${name})`,
      async scene(by) {
        const id = await make(dora)
        const text = mentioning(anna.name, cleo.name)
        return later(
          async () => {
            const resource = { type: 'comments', id: await idOf('comments') }
            const owner = comment(dora, by, { type, id }, false)
            return [
              at(anna, by, resource, text),
              at(cleo, by, resource, text),
              ...(name === 'song' ? [] : [{ ...owner, data: { ...owner.data, contents: text } }]),
            ]
          },
          () => say(by, path(id), { body: text }),
        )
      },
    }),
  ),
  {
    what: 'notifies the owner of a private account of a request to follow (relations-9)',
    notOneself: true,
    async scene(by) {
      await as(by, 'DELETE', `/user/followings/${dora.id}`)
      await as(dora, 'PUT', '/user/privacy', { private: true })
      const user = { type: 'users', id: by.id }
      return {
        act: () => as(by, 'PUT', `/user/followings/${dora.id}`),
        told: [system(dora, by, 'follow:request', user, 'Somebody asks to follow you.', { user: named(by) })],
      }
    },
  },
  {
    what: 'notifies the applicant when the owner of a private account accepts (relations-9)',
    notOneself: true,
    async scene(by) {
      await as(by, 'PUT', '/user/privacy', { private: true })
      await as(cleo, 'PUT', `/user/followings/${by.id}`)
      const user = { type: 'users', id: by.id }
      const text = 'Your request to follow was accepted.'
      return {
        act: () => as(by, 'PUT', `/user/follow-requests/${cleo.id}`),
        told: [system(cleo, by, 'follow:accept', user, text, { user: named(by) })],
      }
    },
  },
  {
    what: 'notifies only users who may read a private group of comments and mentions in it',
    notOneself: true,
    async scene(by) {
      const id = await createGroup(anna, { mode: 'private' })
      for (const each of [by, cleo]) await join(id, anna, each)
      const target = await post(anna, id)
      const text = mentioning(cleo.name, dora.name)
      return later(
        async () => {
          const resource = { type: 'comments', id: await idOf('comments') }
          const owner = comment(anna, by, { type: 'group-posts', id: target }, false)
          return [{ ...owner, data: { ...owner.data, contents: text } }, at(cleo, by, resource, text)]
        },
        () => say(by, `/group-posts/${target}`, { body: text, reply_user: dora.id }),
      )
    },
  },
])
