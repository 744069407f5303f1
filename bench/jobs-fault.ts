/** Kills servers during account erasures, bounty refunds and exports. Part of `npm run torture`. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createUser, hashPassword } from '#modules/accounts/index.ts'
import { addQuestionTopic } from '#modules/questions/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { askEmbedded, openSite, randomOf } from '#test/fixtures/payments.ts'
import { crash, send, startServer } from '#test/fixtures/sites.ts'

const LEAVERS = 15
const EXPORTERS = 15
const GRANT = 1000
const BOUNTY = 70
const PATIENCE_MS = 240_000
const PASSWORD = 'correct horse'

type Member = { id: number; token: string }

export async function killJobs(dataDir: string, seed: number, kills: number): Promise<string> {
  const random = randomOf(seed)
  const { site } = await openSite(dataDir)
  const query = askEmbedded(dataDir)
  const env = { WORKER: 'inside' }
  let server = startServer(dataDir, { WORKER: 'separate' })
  let address = await server.address
  const { members, topic } = await query(async (sql) => {
    const password = await hashPassword(PASSWORD)
    const members: Member[] = []
    for (let n = 0; n < LEAVERS + EXPORTERS; n += 1) {
      const id = await createUser(sql, { name: `member${n}`, password, roles: ['owner'] })
      members.push({ id, token: (await issueToken(sql, id)).access_token })
    }
    const topic = await transaction(sql, (tx) => addQuestionTopic(tx, site.author.id, { name: 'Faults' }))
    return { members, topic }
  })
  const demand = async (status: number, ...request: Parameters<typeof send>) => {
    const answer = await send(...request)
    assert.equal(answer.status, status, `${request[3]} ${JSON.stringify(answer.body)}`)
  }
  for (const [n, { id, token }] of members.entries()) {
    const grant = { amount: GRANT, reason: 'start' }
    await demand(201, address, site.founder.token, 'POST', `/admin/users/${id}/points`, grant)
    const question = { subject: `Question ${n}?`, body: 'why', topics: [{ id: topic }], amount: BOUNTY }
    await demand(201, address, token, 'POST', '/questions', question)
    const feed = { feed_content: `text ${n}`, feed_from: 1, feed_mark: n }
    await demand(201, address, token, 'POST', '/feeds', feed)
    if (n < LEAVERS) await demand(202, address, token, 'DELETE', '/user', { password: PASSWORD })
    else await demand(202, address, token, 'POST', '/user/exports', { password: PASSWORD })
  }
  const leavers = members.slice(0, LEAVERS).map(({ id }) => id)
  await query(async (sql) => {
    await sql`update account_deletions set due_at = now() where user_id = any(${leavers}::bigint[])`
    await addJob(sql, 'erase_accounts', {})
  })
  const progress = () =>
    query(async (sql) => {
      const [row] = await sql<[{ erased: number; made: number }]>`
        select (select count(*)::int from account_deletions where finished_at is not null) as erased,
          (select count(*)::int from data_exports where state = 'ready') as made`
      return row
    })
  server.child.kill('SIGTERM')
  await server.ended

  let inTheMiddle = 0
  for (let n = 0; n < kills; n += 1) {
    server = startServer(dataDir, env)
    address = await server.address
    await wait(random() * 1500)
    const { erased, made } = await progress()
    if (erased + made > 0 && erased + made < LEAVERS + EXPORTERS) inTheMiddle += 1
    await crash(server, n % 2 === 0 ? join(dataDir, 'postgres', 'cluster') : undefined)
  }
  server = startServer(dataDir, env)
  await server.address
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const { erased, made } = await progress()
    if (erased === LEAVERS && made === EXPORTERS) break
    assert.ok(Date.now() < end, `${erased} accounts erased and ${made} exports made after four minutes`)
    await wait(500)
  }

  const found = await query(async (sql) => {
    const [row] = await sql<[{ erased: number; failed: number }]>`
      select (select count(*)::int from users where id = any(${leavers}::bigint[]) and erased_at is not null) as erased,
        (select count(*)::int from data_exports where state = 'failed') as failed`
    const notices = await sql<{ id: number }[]>`
      select cause_id as id from notifications where cause_type = 'data-exports'
      group by user_id, cause_id having count(*) > 1`
    const keys = await sql<
      { key: string }[]
    >`select storage_key as key from data_exports where state = 'ready'`
    return { row, doubled: notices.length, keys: keys.map(({ key }) => key).sort() }
  })
  assert.deepEqual(found.row, { erased: LEAVERS, failed: 0 })
  assert.equal(found.doubled, 0)
  const uploads = join(dataDir, 'uploads')
  const archives = (await readdir(uploads, { recursive: true })).filter((name) => name.endsWith('.zip'))
  assert.deepEqual(archives.map((name) => name.replaceAll('\\', '/')).sort(), found.keys)
  const doctor = spawnSync(process.execPath, ['src/cli.ts', 'doctor'], {
    env: { ...process.env, DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  assert.equal(doctor.status, 0, doctor.stdout + doctor.stderr)
  server.child.kill('SIGTERM')
  await server.ended
  return `${kills} kills, ${inTheMiddle} of them between the first and the last job; ${LEAVERS} accounts erased with their bounties, ${EXPORTERS} archives made, none twice, and the doctor is content`
}
