import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Notice, notify, takeBack } from '#modules/notifications/index.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { deleteUnread, markRead } from './queries.ts'
import { deleteRead } from './retention/queries.ts'

const { person, sql } = await createWorld()

const rowsOf = (userId: number) =>
  sql<{ seq: number; type: string; sender_id: number; data: Record<string, unknown> }[]>`
    select seq, type, sender_id, data from notifications where user_id = ${userId} order by seq`
const countsOf = async (userId: number) => {
  const rows = await sql<{ type: string; unread: number; total: number }[]>`
    select type, unread, total from notification_counts where user_id = ${userId}`
  return Object.fromEntries(rows.map(({ type, unread, total }) => [type, { unread, total }]))
}

test('one call tells many people of many things, in the order given', async () => {
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

test('nobody is told of their own doing, twice, by whom they block, or on a disabled or unknown account (notifications-2)', async () => {
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

test('the system may tell of one thing twice', async () => {
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

test('who does something unnamed is not told of it, and does not reach who blocks them (notifications-2)', async () => {
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

test('taking back removes what is unread, of that cause and sender only (notifications-7)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const cause = { type: 'feeds', id: 7 }
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: cid.id, cause, data: {} })
  await takeBack(sql, { type: 'like', senderId: bob.id, cause })
  assert.deepEqual(
    (await rowsOf(ann.id)).map((row) => row.sender_id),
    [cid.id],
  )
  await sql`update notification_counts set unread = 0, read_seq = last_seq where user_id = ${ann.id}`
  await takeBack(sql, { cause })
  assert.deepEqual(await countsOf(ann.id), { like: { unread: 0, total: 1 } })
  for (const id of [8, 9])
    await notify(sql, {
      type: 'at',
      recipients: [ann.id],
      senderId: bob.id,
      cause: { ...cause, id },
      data: {},
    })
  await takeBack(sql, { cause: { type: 'feeds', id: [8, 9, 10] } })
  assert.deepEqual((await countsOf(ann.id)).at, { unread: 0, total: 0 })
})

test('what many do at once to one person is counted exactly and in one order', async () => {
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
    senders.slice(0, 10).map((_, index) => takeBack(sql, { cause: { type: 'feeds', id: 100 + index } })),
  )
  const rows = await rowsOf(ann.id)
  assert.equal(new Set(rows.map((row) => row.seq)).size, 10)
  assert.deepEqual(await countsOf(ann.id), { like: { unread: 10, total: 10 } })
})

test('what is read while it is taken back stays, and is counted once (notifications-7)', async () => {
  const [ann, bob] = [await person(), await person()]
  const cause = { type: 'feeds', id: 987_001 }
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  let takingBack: Promise<number> | undefined
  await sql.begin(async (tx) => {
    await markRead(tx, ann.id, ['like'])
    takingBack = deleteUnread(sql, { cause }, 100)
    await untilWaiting(sql)
  })
  assert.equal(await takingBack, 0)
  const [counts] = await sql`select unread, total from notification_counts where user_id = ${ann.id}`
  assert.deepEqual(counts, { unread: 0, total: 1 })
})

/** Does what `doing` does while the count of mentions is held; answers of which types it holds the counts meanwhile. */
async function heldMeanwhile(userId: number, doing: () => Promise<unknown>): Promise<string[]> {
  let done: Promise<unknown> | undefined
  let held: string[] = []
  await sql.begin(async (tx) => {
    await tx`select from notification_counts where user_id = ${userId} and type = 'at' for update`
    done = doing()
    await untilWaiting(sql)
    const free = await sql<{ type: string }[]>`
      select type from notification_counts where user_id = ${userId} and type <> 'at' for update skip locked`
    held = ['comment', 'follow', 'like', 'system'].filter((type) => !free.some((row) => row.type === type))
  })
  await done
  return held
}

test('whatever changes the counts of several types locks them in one order, so that nobody waits in a circle', async () => {
  const TYPES = ['system', 'like', 'follow', 'comment', 'at'] as const
  const ways = {
    read: (who: number) => markRead(sql, who, TYPES),
    takenBack: (who: number) => deleteUnread(sql, { cause: { type: 'orders', id: who } }, 100),
    tidied: async (who: number) => {
      await markRead(sql, who, TYPES)
      await sql`update notification_reads set read_at = now() - interval '1 year' where user_id = ${who}`
      return () => deleteRead(sql, 30, 100)
    },
  }
  for (const [name, way] of Object.entries(ways)) {
    const [ann, bob] = [await person(), await person()]
    // Written against the order, as a table is in the end.
    for (const type of TYPES)
      await notify(sql, {
        type,
        recipients: [ann.id],
        senderId: bob.id,
        cause: { type: 'orders', id: ann.id },
        data: type === 'system' ? { type: 'pinned:feeds', state: 'passed', feed: { id: 1 } } : {},
      } as Notice)
    const doing = name === 'tidied' ? ((await way(ann.id)) as () => Promise<unknown>) : () => way(ann.id)
    assert.deepEqual(await heldMeanwhile(ann.id, doing), [], name)
  }
})
