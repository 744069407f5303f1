import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCast, type Row } from '#test/fixtures/notified.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'

const {
  SITE,
  admin,
  anna,
  cleo,
  as,
  sql,
  world,
  work,
  system,
  next,
  made,
  feed,
  news,
  commentOf,
  later,
  category,
  tag,
  tell,
} = await createCast()

tell('sends notifications of decisions by administrators', [
  {
    what: 'notifies the author when an administrator deletes a feed comment',
    site: true,
    async scene(by) {
      const id = await feed(cleo)
      const target = await commentOf(anna, `/feeds/${id}`)
      const more = { comment: { id: target, contents: 'Well said' } }
      const text = 'Your comment was deleted by an administrator.'
      return {
        act: () => as(by, 'DELETE', `/admin/feeds/${id}/comments/${target}`),
        told: [system(anna, SITE, 'delete:feed/comment', { type: 'feeds', id }, text, more)],
      }
    },
  },
  ...(
    [
      [0, 'news:audit', 'Your article was published.'],
      [3, 'news:reject', 'Your article was rejected. Not for us'],
    ] as const
  ).map(
    ([audit_status, kind, text]): Row => ({
      what: `sends ${kind} to the author when an administrator reviews an article`,
      site: true,
      async scene(by) {
        const draft = { title: 'My story', content: 'Once upon a time', tags: `${tag}` }
        const sent = await as(anna, 'POST', `/news/categories/${category}/currency-news`, draft)
        const { id } = made(sent).body
        const mark = audit_status === 0 ? {} : { mark: 'Not for us' }
        return {
          act: () => as(by, 'PATCH', `/admin/news/${id}`, { audit_status, ...mark }),
          told: [system(anna, SITE, kind, { type: 'news', id }, text, { news: { id, title: 'My story' } })],
        }
      },
    }),
  ),
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `notifies the author when an administrator ${action}s a request to delete an article`,
      site: true,
      async scene(by) {
        const id = await news(anna)
        made(await as(anna, 'DELETE', `/news/categories/${category}/news/${id}`))
        const { data } = (await as(by, 'GET', `/admin/news/deletions?sort=id&order=desc`)).body
        const text = `The request to delete your article was ${action}ed.`
        const more = { news: { id, title: 'My article' } }
        return {
          act: () => as(by, 'PATCH', `/admin/news/deletions/${data[0].id}`, { action }),
          told: [system(anna, SITE, `news:delete:${action}`, { type: 'news', id }, text, more)],
        }
      },
    }),
  ),
  ...(['passed', 'failed'] as const).map(
    (status): Row => ({
      what: `notifies the creator when an administrator reviews a topic as ${status}`,
      site: true,
      async scene(by) {
        const name = `Topic ${next()}`
        const { id } = made(await as(anna, 'POST', '/feed/topics', { name })).body
        const text = `Your topic was ${status === 'passed' ? 'accepted' : 'rejected'}.`
        const kind = `feed:topic:create:${status}`
        return {
          act: () => as(by, 'PUT', `/admin/feed-topics/${id}/review`, { status }),
          told: [system(anna, SITE, kind, { type: 'feed-topics', id }, text, { topic: { id, name } })],
        }
      },
    }),
  ),
  ...(['pass', 'reject'] as const).map(
    (action): Row => ({
      what: `notifies the applicant of the decision to ${action} a certification`,
      site: true,
      async scene(by) {
        await sql`delete from certifications where user_id = ${anna.id}`
        const papers = { name: '安娜', phone: '13800138000', number: '1', desc: 'x' }
        const files = [await uploadPicture(world, anna)]
        made(await as(anna, 'POST', '/user/certification', { type: 'user', ...papers, files }))
        const { id } = (await as(anna, 'GET', '/user/certification')).body
        const state = action === 'pass' ? 'passed' : 'rejected'
        const text =
          action === 'pass'
            ? 'Your certification was accepted.'
            : 'Your certification was rejected. Not to be read'
        const about = { type: 'certifications', id }
        const more = { state, certification: { id } }
        const body = action === 'pass' ? { desc: 'x' } : { reject_content: 'Not to be read' }
        return {
          act: () => as(by, 'PATCH', `/admin/certifications/${id}/${action}`, body),
          told: [system(anna, SITE, 'user-certification', about, text, more)],
        }
      },
    }),
  ),
  ...(['deal', 'reject'] as const).map(
    (action): Row => ({
      what: `notifies only the reporter when an administrator decides a report (${action})`,
      site: true,
      async scene(by) {
        const id = await feed(cleo)
        made(await as(anna, 'POST', `/feeds/${id}/reports`, { reason: 'spam' }))
        const { data } = (await as(by, 'GET', '/admin/reports?sort=id&order=desc')).body
        const state = action === 'deal' ? 'passed' : 'rejected'
        const text = `Your report was ${action === 'deal' ? 'accepted' : 'rejected'}.`
        return {
          act: () => as(by, 'PATCH', `/admin/reports/${data[0].id}`, { action, mark: 'seen' }),
          told: [system(anna, SITE, 'report', { type: 'feeds', id }, text, { state, subject: 'My feed' })],
        }
      },
    }),
  ),
  {
    what: "sends an administrator's notice only to the selected users",
    site: true,
    async scene(by) {
      return later(
        async () => {
          const [row] = await sql<{ id: number }[]>`select max(id) as id from notices`
          const { id } = row!
          const about = { type: 'notices', id }
          return [anna, cleo].map((who) => system(who, SITE, 'notice', about, 'Hear', { notice: { id } }))
        },
        () => as(by, 'POST', '/admin/notices', { user_ids: [anna.id, cleo.id], contents: 'Hear' }),
      )
    },
  },
])

const everything = () => sql<{ id: string; user_id: number }[]>`select id, user_id from notifications`

test("sends an administrator's system notification to every user", async () => {
  const before = await everything()
  const { id } = made(await as(admin, 'POST', '/admin/notices', { all: true, contents: 'Hear all' })).body
  await work()
  const known = new Set(before.map((each) => each.id))
  const told = (await everything()).filter((each) => !known.has(each.id))
  const everybody = await sql<{ id: number }[]>`select id from users where deleted_at is null`
  assert.deepEqual(
    told.map(({ user_id }) => user_id).sort((one, other) => one - other),
    everybody.map((each) => each.id).sort((one, other) => one - other),
  )
  const { first } = (await as(anna, 'GET', '/user/notification-statistics')).body.system
  assert.deepEqual(
    first.data,
    system(anna, SITE, 'notice', { type: 'notices', id }, 'Hear all', { notice: { id } }).data,
  )
})
