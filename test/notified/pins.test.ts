import assert from 'node:assert/strict'
import { createCast, type Row } from '#test/fixtures/notified.ts'

const {
  SITE,
  anna,
  as,
  system,
  made,
  feed,
  news,
  commentOf,
  price,
  pinOf,
  content,
  createGroup,
  join,
  post,
  promote,
  group,
  tell,
} = await createCast()

tell('sends notifications of pins', [
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `notifies the author when an administrator ${action}s a request to pin a feed`,
      site: true,
      async scene(by) {
        const id = await feed(anna)
        made(await as(anna, 'POST', `/feeds/${id}/currency-pinneds`, price))
        const pin = await pinOf('feed', id)
        const state = action === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your post was ${action}ed.`
        return {
          act: () => as(by, 'PATCH', `/admin/feed-pinneds/${pin}`, { action }),
          told: [
            system(anna, SITE, 'pinned:feeds', { type: 'feeds', id }, text, {
              state,
              feed: { id },
              feed_id: id,
            }),
          ],
        }
      },
    }),
  ),
  {
    what: 'notifies the author when an administrator pins a feed',
    site: true,
    async scene(by) {
      const id = await feed(anna)
      const text = 'Your post was pinned by an administrator.'
      return {
        act: () => as(by, 'POST', '/admin/feed-pinneds', { feed: id, day: 2 }),
        told: [
          system(anna, SITE, 'pinned:feeds', { type: 'feeds', id }, text, {
            state: 'admin',
            feed: { id },
            feed_id: id,
          }),
        ],
      }
    },
  },
  ...(['feed', 'news'] as const).flatMap((name): Row[] =>
    (['passed', 'rejected'] as const).map((state) => ({
      what: `notifies the requester when the author decides a request to pin a ${name} comment (${state})`,
      notOneself: true,
      async scene(by) {
        const { type, path, make } = content(name)
        const id = await make(by)
        const target = await commentOf(anna, path(id))
        const url = `${path(id)}/comments/${target}/currency-pinneds`
        made(await as(anna, 'POST', url, price))
        const pin = await pinOf(`${name}:comment`, target)
        const text = `The request to pin your comment was ${state === 'passed' ? 'accepted' : 'rejected'}.`
        const about = name === 'feed' ? { feed: { id } } : { news: { id, title: 'My article' } }
        const more = { state, comment: { id: target, contents: 'Well said' }, ...about }
        const kind = `pinned:${name}/comment`
        assert.ok(type)
        return {
          act: () => {
            if (state === 'passed') return as(by, 'PATCH', `${url}/${pin}`)
            return name === 'feed'
              ? as(by, 'DELETE', `/user/feed-comment-currency-pinneds/${pin}`)
              : as(by, 'PATCH', `${url}/${pin}/reject`)
          },
          told: [system(anna, by, kind, { type: 'comments', id: target }, text, more)],
        }
      },
    })),
  ),
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `notifies the author when an administrator ${action}s a request to pin an article`,
      site: true,
      async scene(by) {
        const id = await news(anna)
        made(await as(anna, 'POST', `/news/${id}/currency-pinneds`, price))
        const pin = await pinOf('news', id)
        const state = action === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your article was ${action}ed.`
        const more = { state, news: { id, title: 'My article' } }
        return {
          act: () => as(by, 'PATCH', `/admin/news-pinneds/${pin}`, { action }),
          told: [system(anna, SITE, `news:pinned:${action}`, { type: 'news', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'notifies the author when an administrator pins an article',
    site: true,
    async scene(by) {
      const id = await news(anna)
      const text = 'The request to pin your article was accepted.'
      const more = { state: 'admin', news: { id, title: 'My article' } }
      return {
        act: () => as(by, 'POST', '/admin/news-pinneds', { news: id, day: 2 }),
        told: [system(anna, SITE, 'news:pinned:accept', { type: 'news', id }, text, more)],
      }
    },
  },
  ...(['accept', 'reject'] as const).map(
    (verb): Row => ({
      what: `notifies the author when the founder of a group ${verb}s a request to pin a post`,
      notOneself: true,
      async scene(by) {
        const groupId = await createGroup(by)
        await join(groupId, by, anna)
        const id = await post(anna, groupId)
        made(await as(anna, 'POST', `/currency-pinned/posts/${id}`, price))
        const state = verb === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your post was ${verb}ed.`
        const more = { state, post: { id, title: 'A post' }, group_id: groupId }
        return {
          act: () => as(by, 'PATCH', `/currency-pinned/posts/${id}/${verb}`),
          told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'notifies the author when the founder of a group pins a post',
    async scene(by) {
      const groupId = await createGroup(by)
      if (by !== anna) await join(groupId, by, anna)
      const id = await post(anna, groupId)
      const more = { state: 'admin', post: { id, title: 'A post' }, group_id: groupId }
      const text = 'Your post was pinned by a manager of the group.'
      return {
        act: () => as(by, 'POST', `/pinned/posts/${id}/create`, { day: 1 }),
        told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
      }
    },
  },
  {
    what: "notifies a group's founder when an administrator of the group extends the pin of the founder's post",
    notOneself: true,
    async scene(by) {
      const groupId = await createGroup(anna)
      await join(groupId, anna, by)
      await promote(groupId, anna, by)
      const id = await post(anna, groupId)
      made(await as(anna, 'POST', `/pinned/posts/${id}/create`, { day: 1 }))
      const more = { state: 'admin', post: { id, title: 'A post' }, group_id: groupId }
      const text = 'Your post was pinned by a manager of the group.'
      return {
        act: () => as(by, 'POST', `/pinned/posts/${id}/create`, { day: 1 }),
        told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
      }
    },
  },
  {
    what: 'notifies the author of a post of a request to pin a comment',
    async scene(by) {
      const id = await post(anna, group)
      const target = await commentOf(by, `/group-posts/${id}`)
      const text = 'Somebody asked to pin a comment on your post.'
      const about = { type: 'comments', id: target }
      return {
        act: () => as(by, 'POST', `/currency-pinned/comments/${target}`, price),
        told: [
          system(anna, by, 'group:send-comment-pinned', about, text, {
            post: { id, title: 'A post' },
            group_id: group,
          }),
        ],
      }
    },
  },
  ...(['accept', 'reject'] as const).map(
    (verb): Row => ({
      what: `notifies the requester when the author of a post ${verb}s a request to pin a comment`,
      notOneself: true,
      async scene(by) {
        const id = await post(by, group)
        const target = await commentOf(anna, `/group-posts/${id}`)
        made(await as(anna, 'POST', `/currency-pinned/comments/${target}`, price))
        const state = verb === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your comment was ${verb}ed.`
        const things = { comment: { id: target, contents: 'Well said' }, post: { id, title: 'A post' } }
        const more = { state, ...things, group_id: group }
        const about = { type: 'comments', id: target }
        return {
          act: () => as(by, 'PATCH', `/currency-pinned/comments/${target}/${verb}`),
          told: [system(anna, by, 'group:comment-pinned', about, text, more)],
        }
      },
    }),
  ),
])
