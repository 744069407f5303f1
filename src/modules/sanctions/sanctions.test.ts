import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'
import { findSilence } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx, outbox, work } = world
const { signUp, signIn } = signUpsOn(world)
const founder = await person({ roles: ['founder'] })
assert.equal(
  (
    await as(founder, 'POST', '/admin/roles', {
      name: 'moderator',
      abilities: ['admin: login', 'admin: sanctions'],
    })
  ).status,
  201,
)
const moderator = await person({ roles: ['moderator'] })
const sanction = (by: Person, whom: { id: number }, body: object) =>
  as(by, 'POST', `/admin/users/${whom.id}/sanctions`, body)
const impose = async (whom: { id: number }, body: object): Promise<number> => {
  const answer = await sanction(moderator, whom, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}
const codeOf = ({ headers }: { headers: object }) => (headers as { 'x-error-code'?: string })['x-error-code']
const zh = { 'accept-language': 'zh-CN' }
const letEnd = async (id: number) => {
  await sql`update sanctions set ends_at = now() - interval '1 second' where id = ${id}`
}

test('reports the reason and end of a silence when rejecting a write (sign-in-27)', async () => {
  const ann = await person()
  const { publish, post } = {
    ...feedsOf(world),
    post: (headers = {}) => as(ann, 'POST', '/feeds', {}, headers),
  }
  const feed = await publish(ann)
  await impose(ann, { kind: 'silence', reason: 'Spam in comments', hours: 24 })
  const [{ ends_at: end } = { ends_at: '' }] = (await as(ann, 'GET', '/user/sanctions')).body
  const refused = await post()
  assert.deepEqual([refused.status, codeOf(refused)], [403, 'silenced'])
  assert.deepEqual(refused.body, {
    message: `You may read, but not write until ${end} (UTC): Spam in comments`,
    reason: 'Spam in comments',
    ends_at: end,
  })
  assert.equal((await post(zh)).body.message, `你已被禁言至 ${end}（UTC）：Spam in comments`)
  for (const [method, path] of [
    ['POST', `/feeds/${feed}/comments`],
    ['PUT', `/user/followings/${founder.id}`],
    ['PATCH', '/user'],
    ['DELETE', `/feeds/${feed}`],
    ['DELETE', `/feeds/${feed}/currency`],
  ] as const)
    assert.equal(codeOf(await as(ann, method, path, {})), 'silenced', path)
  assert.equal((await as(ann, 'GET', `/feeds/${feed}`)).status, 200)
  assert.equal((await as(ann, 'POST', `/user/black/${founder.id}`)).status, 201)
  assert.equal((await as(ann, 'PUT', '/user/notifications/all')).status, 204)
  const told = await as(ann, 'GET', '/user/notifications?type=system')
  assert.deepEqual(
    [
      told.body.data[0].data.kind,
      told.body.data[0].data.state,
      told.body.data[0].data.contents,
      told.body.data[0].data.ends_at,
    ],
    ['sanction', 'silence', 'You may read, but not write for now. Spam in comments', end],
  )
})

test('lets a user write again when a silence ends or is lifted (sign-in-27)', async () => {
  const [ann, bob] = [await person(), await person()]
  const follow = (who: Person) => as(who, 'PUT', `/user/followings/${founder.id}`)
  const first = await impose(ann, { kind: 'silence', reason: 'Noise', hours: 1 })
  assert.equal((await follow(ann)).status, 403)
  // A cached silence must end at its end time, because no job invalidates the cache at that time.
  assert.equal(await findSilence(ctx, ann.id, performance.now() + 3_601_000), undefined)
  assert.ok(await findSilence(ctx, ann.id))
  await letEnd(first)
  const second = await impose(bob, { kind: 'silence', reason: 'Noise' })
  assert.equal((await follow(ann)).status, 204)
  assert.equal((await follow(bob)).status, 403)
  assert.equal((await as(moderator, 'DELETE', `/admin/sanctions/${second}`)).status, 204)
  assert.equal((await follow(bob)).status, 204)
  const again = await as(moderator, 'DELETE', `/admin/sanctions/${second}`)
  assert.deepEqual([again.status, codeOf(again)], [422, 'sanction_over'])
  const told = await as(bob, 'GET', '/user/notifications?type=system')
  assert.equal(told.body.data[0].data.state, 'lifted')
})

test('ends all sessions of a suspended user (sign-in-27)', async () => {
  const ann = await signUp()
  assert.equal((await as(ann, 'GET', '/user')).status, 200)
  const id = await impose(ann, { kind: 'suspension', reason: 'Threats', hours: 48 })
  assert.equal((await as(ann, 'GET', '/user')).status, 401)
  assert.equal((await guest('POST', '/auth/refresh', { token: ann.token })).status, 401)
  const refused = await signIn(ann.name, { password: ann.password })
  assert.deepEqual([refused.status, codeOf(refused)], [403, 'account_suspended'])
  assert.match(refused.body.message, /^This account is suspended until \d{4}-.* \(UTC\): Threats$/)
  assert.equal(refused.body.reason, 'Threats')
  const wrong = await signIn(ann.name, { password: 'not the password' })
  assert.equal(wrong.status, 422)
  const shown = await as(founder, 'GET', `/users/${ann.id}`)
  assert.deepEqual([shown.status, shown.body.name], [200, ann.name])
  await letEnd(id)
  const back = await signIn(ann.name, { password: ann.password })
  assert.equal(back.status, 200)
  const told = await guest('GET', `/user/notifications?type=system&token=${back.body.access_token}`)
  assert.equal(told.body.data[0].data.state, 'suspension')
})

test('sends an e-mail about a suspension in Chinese and English', async () => {
  const ann = await signUp()
  await sql`update users set email = 'told@example.org' where id = ${ann.id}`
  await impose(ann, { kind: 'suspension', reason: 'Fraud' })
  await work()
  const mail = outbox.find(({ to }) => to === 'told@example.org')
  assert.match(
    mail?.text ?? '',
    /您的账号已被封禁。.*Your account is suspended\. You can appeal\.\n\nFraud$/s,
  )
})

test('leaves no session valid when a suspension and a sign-in run concurrently (sign-in-27)', async () => {
  for (let round = 0; round < 4; round += 1) {
    const ann = await signUp()
    const [signedIn] = await Promise.all([
      signIn(ann.name, { password: ann.password }),
      impose(ann, { kind: 'suspension', reason: 'Race' }),
    ])
    if (signedIn.status === 200)
      assert.equal((await guest('GET', `/user?token=${signedIn.body.access_token}`)).status, 401)
    else assert.equal(signedIn.status, 403)
  }
})

test('applies one of several identical concurrent sanctions (administration-16)', async () => {
  const ann = await person()
  const answers = await Promise.all(
    [moderator, founder, moderator].map((by) => sanction(by, ann, { kind: 'silence', reason: 'Once' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  assert.equal(codeOf(answers.find(({ status }) => status === 422)!), 'sanctioned_already')
  await impose(ann, { kind: 'warning', reason: 'And a warning' })
  await impose(ann, { kind: 'warning', reason: 'And another' })
  const listed = await as(moderator, 'GET', `/admin/sanctions?user=${ann.id}&order=asc`)
  assert.deepEqual(
    listed.body.data.map(({ kind, in_force: inForce }: { kind: string; in_force: boolean }) => [
      kind,
      inForce,
    ]),
    [
      ['silence', true],
      ['warning', false],
      ['warning', false],
    ],
  )
  assert.equal((await as(moderator, 'GET', `/admin/sanctions?user=${ann.id}&in_force=1`)).body.total, 1)
})

test('forbids sanctions against oneself or a user with more abilities (administration-16)', async () => {
  const own = await sanction(moderator, moderator, { kind: 'silence', reason: 'Me' })
  assert.deepEqual([own.status, codeOf(own)], [422, 'not_oneself'])
  const above = await sanction(moderator, founder, { kind: 'warning', reason: 'Boss' })
  assert.deepEqual([above.status, codeOf(above)], [403, 'may_do_more'])
  const [one, two] = [await person({ roles: ['founder'] }), await person({ roles: ['founder'] })]
  const duel = await Promise.all([
    sanction(one, two, { kind: 'suspension', reason: 'You' }),
    sanction(two, one, { kind: 'suspension', reason: 'No, you' }),
  ])
  assert.deepEqual(duel.map(({ status }) => status === 201).sort(), [false, true])
  assert.equal((await sanction(founder, { id: 99_999_999 }, { kind: 'warning', reason: 'x' })).status, 404)
  assert.equal((await sanction(await person(), one, { kind: 'warning', reason: 'x' })).status, 403)
  for (const [field, body] of [
    ['reason', { kind: 'silence' }],
    ['kind', { kind: 'ban', reason: 'x' }],
    ['hours', { kind: 'silence', reason: 'x', hours: 0 }],
    ['hours', { kind: 'warning', reason: 'x', hours: 5 }],
  ] as const) {
    const answer = await sanction(founder, await person(), body)
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, [field]])
  }
})

test('filters sanctions and appeals by user, kind, state and text (administration-16, administration-17)', async () => {
  const [ann, bob] = [await person(), await person()]
  const [first, second] = [
    await impose(ann, { kind: 'silence', reason: 'Sells 100% cotton' }),
    await impose(bob, { kind: 'silence', reason: 'Sells cotton, 100 of them' }),
  ]
  for (const [who, contents] of [
    [ann, 'I never sold 100% of it'],
    [bob, 'I never sold 100 of them'],
  ] as const)
    assert.equal((await as(who, 'POST', '/user/appeals', { contents })).status, 201)
  const found = async (path: string) =>
    (await as(moderator, 'GET', path)).body.data.map(({ user_id: id }: { user_id: number }) => id)
  assert.deepEqual(await found(`/admin/sanctions?q=${encodeURIComponent('100% COTTON')}`), [ann.id])
  assert.deepEqual(await found(`/admin/sanctions?user=${bob.id}&kind=silence&in_force=1`), [bob.id])
  assert.deepEqual(await found(`/admin/sanctions?user=${bob.id}&kind=suspension`), [])
  assert.deepEqual(await found(`/admin/appeals?q=${encodeURIComponent('sold 100% of')}`), [ann.id])
  assert.deepEqual(await found(`/admin/appeals?user=${bob.id}&state=pending`), [bob.id])
  assert.deepEqual(await found(`/admin/appeals?user=${bob.id}&state=rejected`), [])
  for (const id of [first, second])
    assert.equal((await as(moderator, 'DELETE', `/admin/sanctions/${id}`)).status, 204)
  assert.deepEqual(await found(`/admin/sanctions?user=${bob.id}&in_force=1`), [])
})

test('audits imposed and lifted sanctions (administration-4, administration-16)', async () => {
  const ann = await person()
  const id = await impose(ann, { kind: 'silence', reason: 'Logged', hours: 3 })
  await as(moderator, 'DELETE', `/admin/sanctions/${id}`)
  const log = await as(founder, 'GET', `/admin/audit-log?subject_type=users&subject_id=${ann.id}`)
  assert.deepEqual(
    log.body.data.map(({ action, user_id: by }: { action: string; user_id: number }) => [action, by]),
    [
      ['sanctions.lift', moderator.id],
      ['sanctions.impose', moderator.id],
    ],
  )
})

test('lifts a silence when a moderator accepts the appeal (sign-in-28, administration-17)', async () => {
  const ann = await person()
  assert.equal(codeOf(await as(ann, 'POST', '/user/appeals', { contents: 'Why?' })), 'nothing_to_appeal')
  const id = await impose(ann, { kind: 'silence', reason: 'Noise' })
  const filed = await Promise.all(
    [1, 2, 3].map((n) => as(ann, 'POST', '/user/appeals', { contents: `It was not me ${n}` })),
  )
  assert.deepEqual(filed.map(({ status }) => status).sort(), [201, 422, 422])
  assert.equal(codeOf(filed.find(({ status }) => status === 422)!), 'appeal_open')
  const list = await as(moderator, 'GET', `/admin/appeals?state=pending&user=${ann.id}`)
  assert.equal(list.body.total, 1)
  const { id: appeal, sanction: about } = list.body.data[0]
  assert.deepEqual([about.id, about.kind, about.reason], [id, 'silence', 'Noise'])
  const decisions = await Promise.all(
    [moderator, founder].map((by) =>
      as(by, 'PATCH', `/admin/appeals/${appeal}`, { action: 'accept', answer: 'Sorry' }),
    ),
  )
  assert.deepEqual(decisions.map(({ status }) => status).sort(), [204, 422])
  assert.equal((await as(ann, 'PUT', `/user/followings/${founder.id}`)).status, 204)
  const [own] = (await as(ann, 'GET', '/user/sanctions')).body
  assert.deepEqual([own.in_force, own.appeal.state, own.appeal.answer], [false, 'accepted', 'Sorry'])
  const gone = await as(ann, 'POST', '/user/appeals', { contents: 'Again', sanction: id })
  assert.equal(codeOf(gone), 'nothing_to_appeal')
  assert.equal((await as(moderator, 'GET', '/admin/appeals/99999999')).status, 404)
})

test('accepts an appeal from a suspended user who proves their password (sign-in-28)', async () => {
  const ann = await signUp()
  const id = await impose(ann, { kind: 'suspension', reason: 'Fraud' })
  const appeal = (password: string) =>
    guest('POST', '/auth/appeals', { login: ann.name, password, contents: 'Please look again' })
  assert.equal(codeOf(await appeal('not the password')), 'wrong_sign_in')
  const filed = await appeal(ann.password ?? '')
  assert.equal(filed.status, 201)
  assert.equal(codeOf(await appeal(ann.password ?? '')), 'appeal_open')
  const decide = (action: string) =>
    as(moderator, 'PATCH', `/admin/appeals/${filed.body.id}`, { action, answer: 'We looked' })
  assert.equal((await decide('reject')).status, 204)
  assert.equal((await decide('accept')).status, 422)
  assert.equal((await signIn(ann.name, { password: ann.password })).status, 403)
  const second = await appeal(ann.password ?? '')
  assert.equal(second.status, 201)
  assert.equal(
    (await as(founder, 'PATCH', `/admin/appeals/${second.body.id}`, { action: 'accept' })).status,
    204,
  )
  const back = await signIn(ann.name, { password: ann.password })
  assert.equal(back.status, 200)
  const told = await guest('GET', `/user/notifications?type=system&token=${back.body.access_token}`)
  assert.deepEqual(
    told.body.data.map(({ data }: { data: { state: string } }) => data.state),
    ['lifted', 'rejected', 'suspension'],
  )
  assert.equal(told.body.data[1].data.contents, 'Your appeal was rejected. We looked')
  const own = await guest('GET', `/user/sanctions?token=${back.body.access_token}&limit=1`)
  assert.equal(own.body[0].id, id)
  assert.deepEqual(
    (await guest('GET', `/user/sanctions?token=${back.body.access_token}&after=${id}`)).body,
    [],
  )
})
