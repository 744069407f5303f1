import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useInvitation } from '#modules/accounts/invitations/service.ts'
import { transaction } from '#platform/database'
import { fieldError, fresh, refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { guest, as, sql, person, outbox, work } = world
const { codeFor, register } = signUpsOn(world)
const under = settingsOn(world)
const admin = await person({ roles: ['founder'] })

const invite = async (maker: Person, body: object = {}) => {
  const answer = await as(maker, 'POST', '/user/invitations', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body as { id: number; code: string; max_uses: number; uses: number; ended: boolean }
}
const byInvitation = (work: () => Promise<unknown>) => under({ 'register:type': 'invited' }, work)

/**
 * Call this before a test restricts registration to invited users. Otherwise the server rejects the request
 * for a code.
 */
async function newcomer() {
  const { email, name } = fresh()
  return { email, name, verifiable_code: await codeFor(email, '/verifycodes/register') }
}

test('rejects a registration without a valid invitation (registration-5)', async () => {
  const ended = await invite(admin)
  await as(admin, 'DELETE', `/user/invitations/${ended.id}`)
  const late = await invite(admin)
  await sql`update invitations set expires_at = now() where id = ${late.id}`
  const early = await newcomer()
  await byInvitation(async () => {
    const { email } = fresh()
    assert.deepEqual(refusalOf(await guest('POST', '/verifycodes/register', { email })), [
      422,
      'invitation_needed',
    ])
    assert.equal((await register(early)).headers['x-error-code'], 'invitation_needed')
    for (const invitation_code of ['NOTHING', ended.code, late.code]) {
      const asked = await guest('POST', '/verifycodes/register', { email, invitation_code })
      fieldError(asked, 'invitation_code')
      fieldError(await register({ ...early, invitation_code }), 'invitation_code')
    }
    await work()
    assert.ok(!outbox.some(({ to }) => to === email))
  })
})

test('lists the users who registered with an invitation (registration-5, registration-6)', async () => {
  const maker = await person({ roles: ['founder'] })
  const { id, code } = await invite(maker, { max_uses: 2, note: 'for the choir' })
  const typed = `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase()
  const names: string[] = []
  await byInvitation(async () => {
    for (const _ of [1, 2]) {
      const { email, name } = fresh()
      const asked = await guest('POST', '/verifycodes/register', { email, invitation_code: typed })
      assert.equal(asked.status, 202)
      await work()
      const verifiable_code = outbox.findLast(({ to }) => to === email)?.code
      assert.equal((await register({ email, name, verifiable_code, invitation_code: typed })).status, 201)
      names.push(name)
    }
    const third = await guest('POST', '/verifycodes/register', {
      email: fresh().email,
      invitation_code: code,
    })
    assert.deepEqual(refusalOf(third), [422, 'invitation_not_good'])
  })
  const [mine] = (await as(maker, 'GET', '/user/invitations')).body
  assert.deepEqual(
    [mine.id, mine.uses, mine.max_uses, mine.ended, mine.note],
    [id, 2, 2, true, 'for the choir'],
  )
  const came = (await as(maker, 'GET', '/user/invitees?limit=1')).body
  assert.deepEqual(
    came.map(({ name }: { name: string }) => name),
    [names[1]],
  )
  const before = (await as(maker, 'GET', `/user/invitees?after=${came[0].id}`)).body
  assert.deepEqual(
    before.map(({ name }: { name: string }) => name),
    [names[0]],
  )
  const seen = (await as(admin, 'GET', `/admin/invitees?invitation=${id}`)).body
  assert.equal(seen.total, 2)
  assert.deepEqual(
    seen.data.map((row: { inviter: { id: number } }) => row.inviter.id),
    [maker.id, maker.id],
  )
  assert.equal((await as(admin, 'GET', `/admin/invitations?user=${maker.id}&ended=1`)).body.total, 1)
  assert.equal(
    (await as(admin, 'GET', `/admin/invitations?q=${code.toLowerCase()}`)).body.data[0].user.id,
    maker.id,
  )
})

test('limits concurrent registrations to the maximum uses of an invitation (registration-5)', async () => {
  const { id, code } = await invite(admin, { max_uses: 2 })
  const people = []
  for (let each = 0; each < 6; each++) people.push(await newcomer())
  const answers = await Promise.all(people.map((body) => register({ ...body, invitation_code: code })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 422, 422, 422, 422])
  const [row] = await sql`select count(*)::int as came from invitation_uses where invitation_id = ${id}`
  assert.equal(row?.came, 2)
  const loser = people[answers.findIndex(({ status }) => status === 422)]
  const again = await register({ ...loser, invitation_code: (await invite(admin)).code })
  assert.equal(again.status, 201)
})

test('lets users create invitations within the configured limits (registration-6)', async () => {
  const ann = await person()
  assert.deepEqual(refusalOf(await as(ann, 'POST', '/user/invitations', {})), [403, 'may_not_invite'])
  await under(
    {
      'register:invitations-by-everybody': true,
      'register:invitation-uses': 3,
      'register:invitation-days': 2,
    },
    async () => {
      const made = await invite(ann, { max_uses: 100, days: 365 })
      assert.equal(made.max_uses, 3)
      const [row] = await sql`select extract(day from expires_at - created_at)::int as days from invitations
        where id = ${made.id}`
      assert.equal(row?.days, 2)
      const answers = await Promise.all(
        Array.from({ length: 23 }, () => as(ann, 'POST', '/user/invitations', {})),
      )
      assert.equal(answers.filter(({ status }) => status === 201).length, 19)
      assert.deepEqual(
        [...new Set(answers.filter(({ status }) => status !== 201).map((each) => refusalOf(each)[1]))],
        ['too_many_invitations'],
      )
      assert.equal((await as(ann, 'DELETE', `/user/invitations/${made.id}`)).status, 204)
      await invite(ann)
    },
  )
  assert.equal((await as(ann, 'GET', '/user/invitations?limit=100')).body.length, 21)
})

test('rejects revoked invitations and those of disabled users (registration-5, registration-7)', async () => {
  const maker = await person({ roles: ['founder'] })
  const { id, code } = await invite(maker)
  const early = await newcomer()
  await sql`update users set deleted_at = now() where id = ${maker.id}`
  fieldError(await register({ ...early, invitation_code: code }), 'invitation_code')
  await sql`update users set deleted_at = null where id = ${maker.id}`
  const bob = await person()
  assert.deepEqual(refusalOf(await as(bob, 'DELETE', `/user/invitations/${id}`)), [404, 'no_such_invitation'])
  assert.equal((await as(bob, 'GET', '/admin/invitations')).status, 403)
  assert.equal((await as(admin, 'DELETE', `/admin/invitations/${id}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', '/admin/invitations/999999')).status, 404)
  fieldError(await register({ ...early, invitation_code: code }), 'invitation_code')
  assert.equal((await register(early)).status, 201)
})

test('rejects invitations of suspended and silenced users until the sanction ends (registration-5)', async () => {
  for (const kind of ['suspension', 'silence']) {
    const maker = await person({ roles: ['founder'] })
    const { code } = await invite(maker)
    const early = await newcomer()
    const url = `/admin/users/${maker.id}/sanctions`
    const imposed = await as(admin, 'POST', url, { kind, reason: 'Sold invitations', hours: 5 })
    assert.equal(imposed.status, 201, JSON.stringify(imposed.body))
    fieldError(await register({ ...early, invitation_code: code }), 'invitation_code')
    await sql`update sanctions set ends_at = now() where user_id = ${maker.id}`
    assert.equal((await register({ ...early, invitation_code: code })).status, 201)
  }
})

test('limits a single-use invitation to one of two concurrent registrations (registration-5)', async () => {
  const { code } = await invite(admin, { max_uses: 1 })
  const [ann, bob] = [await person(), await person()]
  let second: Promise<boolean> | undefined
  let settled = false
  const first = await transaction(sql, async (tx) => {
    const taken = await useInvitation(tx, code, ann.id)
    second = transaction(sql, (other) => useInvitation(other, code, bob.id))
    void second.finally(() => {
      settled = true
    })
    for (;;) {
      const waiting = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%invitations i join%'`
      if (settled || waiting.length > 0) return taken
    }
  })
  assert.deepEqual([first, await second], [true, false])
})
