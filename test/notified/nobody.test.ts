import { createCast, type Row } from '#test/fixtures/notified.ts'
import type { Answer, Person } from '#test/world.ts'

const { admin, anna, as, guest, next, made, feed, say, commentOf, mentioning, price, song, album, tell } =
  await createCast()

tell('sends no notifications of some events', [
  ...(
    [
      [
        'a request to pin a feed',
        async (by) => as(by, 'POST', `/feeds/${await feed(by)}/currency-pinneds`, price),
      ],
      [
        'a request to pin a feed comment',
        async (by) => {
          const id = await feed(anna)
          const target = await commentOf(by, `/feeds/${id}`)
          return () => as(by, 'POST', `/feeds/${id}/comments/${target}/currency-pinneds`, price)
        },
      ],
      [
        'a follow of a topic',
        async (by) => {
          const name = `Topic ${next()}`
          const { id } = made(await as(anna, 'POST', '/feed/topics', { name })).body
          made(await as(admin, 'PUT', `/admin/feed-topics/${id}/review`, { status: 'passed' }))
          return () => as(by, 'PUT', `/user/feed-topics/${id}`)
        },
      ],
      [
        'a collection of a feed',
        async (by) => {
          const id = await feed(anna)
          return () => as(by, 'POST', `/feeds/${id}/collections`)
        },
      ],
      [
        'a purchase with points',
        async (by) => {
          const id = await feed(anna, { feed_content: '一'.repeat(60), amount: 30 })
          const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
          return () => as(by, 'POST', `/currency/purchases/${node}`)
        },
      ],
      [
        'a repost',
        async (by) => {
          const id = await feed(anna)
          return async () => {
            await feed(by, { repostable_type: 'feeds', repostable_id: id })
            return { status: 201, body: null, headers: {} }
          }
        },
      ],
      [
        'the deletion of a feed by a moderator',
        async () => {
          const id = await feed(anna)
          return () => as(admin, 'DELETE', `/admin/feeds/${id}`)
        },
      ],
      [
        'a new group chat',
        async (by) => () => as(by, 'POST', '/im/group', { groupname: 'x', desc: 'y', members: `${anna.id}` }),
      ],
      ['a like of a song, which has no owner', async (by) => () => as(by, 'POST', `/music/${song}/like`)],
      [
        'a mention in a comment on an album',
        async (by) => () => say(by, `/music/specials/${album}`, { body: mentioning(anna.name) }),
      ],
    ] as [string, (by: Person) => Promise<(() => Promise<Answer>) | Answer>][]
  ).map(
    ([what, prepare]): Row => ({
      what: `sends no notification about ${what}`,
      notOneself: true,
      async scene(by) {
        const act = await prepare(by)
        return { act: typeof act === 'function' ? act : async () => act, told: [] }
      },
    }),
  ),
])
