import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Notice, notify, withdrawNotifications } from '#modules/notifications/index.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { markRead } from './queries.ts'
import { deleteRead } from './retention.ts'
import { deleteUnread } from './withdrawal.ts'

const { person, sql } = await createWorld()

const rowsOf = (userId: number) =>
  sql<{ seq: number; type: string; sender_id: number; data: Record<string, unknown> }[]>`
    select seq, type, sender_id, data from notifications where user_id = ${userId} order by seq`
const countsOf = async (userId: number) => {
  const rows = await sql<{ type: string; unread: number; total: number }[]>`
    select type, unread, total from notification_counts where user_id = ${userId}`
  return Object.fromEntries(rows.map(({ type, unread, total }) => [type, { unread, total }]))
}

test('sends several notifications to several users in the given order', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const cause = { type: 'comments', id: 71 }
  await notify(sql, [
    { type: 'comment', recipients: [ann.id, bob.id], senderId: cid.id, cause, data: { contents: 'Hi' } },
    { type: 'at', recipients: [bob.id], senderId: cid.id, cause, data: { contents: 'Hi' } },
  ])
  assert.deepEqual(
    (await rowsOf(bob.id)).map(({ seq, type }) => [seq, type]),
    [
      [1, 'comment'],
      [2, 'at'],
    ],
  )
  assert.deepEqual(await countsOf(ann.id), { comment: { unread: 1, total: 1 } })
  assert.deepEqual(await countsOf(bob.id), {
    comment: { unread: 1, total: 1 },
    at: { unread: 1, total: 1 },
  })
  assert.deepEqual((await rowsOf(ann.id))[0]?.data, { contents: 'Hi' })
})

test('notifies each eligible recipient once (notifications-2)', async () => {
  const [ann, bob, gone, sender] = [await person(), await person(), await person(), await person()]
  await sql`insert into user_blocks (user_id, target_id) values (${bob.id}, ${sender.id})`
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  const notice = {
    type: 'like' as const,
    recipients: [ann.id, ann.id, bob.id, gone.id, sender.id, 0, 2 ** 52],
    senderId: sender.id,
    cause: { type: 'feeds', id: 5 },
    data: {},
  }
  await notify(sql, notice)
  await notify(sql, notice)
  assert.equal((await rowsOf(ann.id)).length, 1)
  for (const id of [bob.id, gone.id, sender.id, 2 ** 52]) assert.equal((await rowsOf(id)).length, 0)
})

test('allows two system notifications about the same content', async () => {
  const ann = await person()
  const notice = {
    type: 'system' as const,
    recipients: [ann.id],
    senderId: 0,
    cause: { type: 'feeds', id: 6 },
    data: { type: 'pinned:feeds' as const },
  }
  await notify(sql, [notice, notice])
  assert.deepEqual(await countsOf(ann.id), { system: { unread: 2, total: 2 } })
})

test('skips recipients who block a hidden sender (notifications-2)', async () => {
  const [ann, bob, doer] = [await person(), await person(), await person()]
  await sql`insert into user_blocks (user_id, target_id) values (${bob.id}, ${doer.id})`
  await notify(sql, {
    type: 'system',
    recipients: [ann.id, bob.id, doer.id],
    senderId: 0,
    hiddenSenderId: doer.id,
    cause: { type: 'feeds', id: 6 },
    data: { type: 'notice' },
  })
  assert.deepEqual(
    (await rowsOf(ann.id)).map((row) => row.sender_id),
    [0],
  )
  for (const { id } of [bob, doer]) assert.equal((await rowsOf(id)).length, 0)
})

test('withdraws only unread notifications of the given cause and sender (notifications-7)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const cause = { type: 'feeds', id: 7 }
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: cid.id, cause, data: {} })
  await withdrawNotifications(sql, { type: 'like', senderId: bob.id, cause })
  assert.deepEqual(
    (await rowsOf(ann.id)).map((row) => row.sender_id),
    [cid.id],
  )
  await sql`update notification_counts set unread = 0, read_seq = last_seq where user_id = ${ann.id}`
  await withdrawNotifications(sql, { cause })
  assert.deepEqual(await countsOf(ann.id), { like: { unread: 0, total: 1 } })
  for (const id of [8, 9])
    await notify(sql, {
      type: 'at',
      recipients: [ann.id],
      senderId: bob.id,
      cause: { ...cause, id },
      data: {},
    })
  await withdrawNotifications(sql, { cause: { type: 'feeds', id: [8, 9, 10] } })
  assert.deepEqual((await countsOf(ann.id)).at, { unread: 0, total: 0 })
})

test('stores concurrent notifications of one user under distinct sequence numbers', async () => {
  const ann = await person()
  const senders = await Promise.all(Array.from({ length: 20 }, () => person()))
  await Promise.all(
    senders.map((sender, index) =>
      notify(sql, {
        type: 'like',
        recipients: [ann.id],
        senderId: sender.id,
        cause: { type: 'feeds', id: 100 + index },
        data: {},
      }),
    ),
  )
  await Promise.all(
    senders
      .slice(0, 10)
      .map((_, index) => withdrawNotifications(sql, { cause: { type: 'feeds', id: 100 + index } })),
  )
  const rows = await rowsOf(ann.id)
  assert.equal(new Set(rows.map((row) => row.seq)).size, 10)
  assert.deepEqual(await countsOf(ann.id), { like: { unread: 10, total: 10 } })
})

test('preserves a notification that is read during its withdrawal (notifications-7)', async () => {
  const [ann, bob] = [await person(), await person()]
  const cause = { type: 'feeds', id: 987_001 }
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  let takingBack: Promise<void> | undefined
  await sql.begin(async (tx) => {
    await markRead(tx, ann.id, ['like'])
    takingBack = deleteUnread(sql, ann.id, { cause })
    await untilWaiting(sql)
  })
  await takingBack
  const [counts] = await sql`select unread, total from notification_counts where user_id = ${ann.id}`
  assert.deepEqual(counts, { unread: 0, total: 1 })
})

/**
 * Runs `action` while the counter row of mentions is locked. Returns the types whose counter rows `action`
 * locks before the row of mentions.
 */
async function lockedMeanwhile(userId: number, action: () => Promise<unknown>): Promise<string[]> {
  let done: Promise<unknown> | undefined
  let locked: string[] = []
  await sql.begin(async (tx) => {
    await tx`select from notification_counts where user_id = ${userId} and type = 'at' for update`
    done = action()
    await untilWaiting(sql)
    const free = await sql<{ type: string }[]>`
      select type from notification_counts where user_id = ${userId} and type <> 'at' for update skip locked`
    locked = ['comment', 'follow', 'like', 'system'].filter((type) => !free.some((row) => row.type === type))
  })
  await done
  return locked
}

test('locks counters of several types in one order to prevent deadlocks', async () => {
  const TYPES = ['system', 'like', 'follow', 'comment', 'at'] as const
  const actions = {
    read: (who: number) => markRead(sql, who, TYPES),
    withdraw: (who: number) => deleteUnread(sql, who, { cause: { type: 'orders', id: who } }),
    deleteOld: async (who: number) => {
      await markRead(sql, who, TYPES)
      await sql`update notification_reads set read_at = now() - interval '1 year' where user_id = ${who}`
      return () => deleteRead(sql, 30, 100)
    },
  }
  for (const [name, run] of Object.entries(actions)) {
    const [ann, bob] = [await person(), await person()]
    // Inserts the counter rows in reverse order. Otherwise this test would pass even if the code locked the
    // rows in the order of a plain scan.
    for (const type of TYPES)
      await notify(sql, {
        type,
        recipients: [ann.id],
        senderId: bob.id,
        cause: { type: 'orders', id: ann.id },
        data: type === 'system' ? { type: 'pinned:feeds', state: 'passed', feed: { id: 1 } } : {},
      } as Notice)
    const action = name === 'deleteOld' ? ((await run(ann.id)) as () => Promise<unknown>) : () => run(ann.id)
    assert.deepEqual(await lockedMeanwhile(ann.id, action), [], name)
  }
})
