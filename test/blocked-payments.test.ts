import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { refusalOf } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
const { give, owns } = await walletsOf(world)
const { ask, answer } = questionsOf(world)
const { group } = groupMaker(world)

const rich = async () => {
  const made = await person()
  await give(made, 'wallet', 10_000)
  await give(made, 'points', 10_000)
  return made
}

const nodeOf = async (owner: Person): Promise<number> => {
  const [row] = await sql<[{ id: number }]>`
    insert into paid_nodes (channel, raw, user_id, amount) values ('feed', ${owner.id}, ${owner.id}, 5) returning id`
  return row.id
}

const WAYS: Record<string, (payer: Person, owner: Person) => Promise<() => ReturnType<typeof as>>> = {
  transfer: async (payer, owner) => () =>
    as(payer, 'POST', '/plus-pay/transfer', { user: owner.id, amount: 5 }),
  'reward of a user': async (payer, owner) => () =>
    as(payer, 'POST', `/user/${owner.id}/new-rewards`, { amount: 5 }),
  'reward of an answer': async (payer, owner) => {
    const id = await answer(owner, await ask(await rich()))
    return () => as(payer, 'POST', `/question-answers/${id}/rewarders`, { amount: 5 })
  },
  'purchase with the wallet': async (payer, owner) => {
    const node = await nodeOf(owner)
    return () => as(payer, 'POST', `/purchases/${node}`)
  },
  'purchase with points': async (payer, owner) => {
    const node = await nodeOf(owner)
    return () => as(payer, 'POST', `/currency/purchases/${node}`)
  },
  'payment to view an answer': async (payer, owner) => {
    const expert = await person()
    await give(owner, 'points', 1000)
    const question = await ask(owner, {
      amount: 100,
      automaticity: 1,
      look: 1,
      invitations: [{ user: expert.id }],
    })
    const id = await answer(expert, question)
    return () => as(payer, 'POST', `/question-answers/${id}/onlookers`)
  },
  'payment of a bounty': async (payer, owner) => {
    const question = await ask(payer, { amount: 50 })
    const id = await answer(owner, question)
    return () => as(payer, 'PUT', `/questions/${question}/adoptions/${id}`)
  },
  'payment to join a group': async (payer, owner) => {
    const id = await group(owner, { mode: 'paid', money: 5 })
    return () => as(payer, 'PUT', `/currency-groups/${id}`)
  },
}

for (const [name, prepare] of Object.entries(WAYS))
  test(`rejects a ${name} when the recipient blocks the payer (conventions-26)`, async () => {
    const [payer, owner] = [await rich(), await person()]
    const pay = await prepare(payer, owner)
    const before = await owns(payer)
    assert.equal((await as(owner, 'POST', `/user/black/${payer.id}`)).status, 201)
    assert.deepEqual(refusalOf(await pay()), [403, 'blocked'])
    assert.deepEqual(await owns(payer), before)
    assert.equal((await as(owner, 'DELETE', `/user/black/${payer.id}`)).status, 204)
    assert.equal((await as(payer, 'POST', `/user/black/${owner.id}`)).status, 201)
    const paid = await pay()
    assert.equal(paid.status, 201, JSON.stringify(paid.body))
  })

test('adopts an anonymous answer even when its author blocks the payer (conventions-26)', async () => {
  const [payer, owner] = [await rich(), await person()]
  const question = await ask(payer, { amount: 50 })
  const id = await answer(owner, question, { anonymity: 1 })
  assert.equal((await as(owner, 'POST', `/user/black/${payer.id}`)).status, 201)
  assert.equal((await as(payer, 'PUT', `/questions/${question}/adoptions/${id}`)).status, 201)
})
