import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

const PNG = skip ? Buffer.alloc(0) : await flatPicture(60, 40).png().toBuffer()

const say = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Write a message' }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}
const messageWith = (page: Page, text: string) => page.locator('.message').filter({ hasText: text })

test('shows typing members and read receipts in a group chat', {
  skip,
}, async () => {
  const { as, open, person, address, faults } = site!
  const [ann, bob, cleo] = [
    await person({ name: 'ann_of_boats' }),
    await person({ name: 'bob_of_boats' }),
    await person({ name: 'cleo_of_boats' }),
  ]
  const page = await open('/chats', { person: ann, permissions: ['microphone'], ...TELEPHONE })
  await page.getByRole('link', { name: 'New group chat' }).click()
  await page.getByLabel('Group name').fill('Rowers')
  await page.getByLabel('Find users by name').fill('bob_of')
  await page.locator('.pick').click()
  assert.deepEqual(await findings(page), [])
  await look(page, 'chat-new-group')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/chats\/\d+$/)
  const chat = Number(page.url().split('/').at(-1))
  await say(page, 'Who brings the oars?')
  await messageWith(page, 'Who brings the oars?').getByRole('button', { name: 'Edit' }).waitFor()

  const theirs = await open('/hot', { person: bob, locale: 'zh-CN', colorScheme: 'dark' })
  await until(theirs, `document.title.startsWith('(2)')`)
  await say(page, 'And the flask?')
  await until(theirs, `document.title.startsWith('(3)')`)
  await theirs.goto(`${address}/chats/${chat}`)
  await theirs.locator('html[data-ready]').waitFor()
  await page.getByText('Seen by 1').waitFor()
  await page.getByText('The group was created.').waitFor()
  await theirs.getByText('群聊已创建。').waitFor()
  await messageWith(theirs, 'Who brings the oars?').getByRole('button', { name: '回复' }).click()
  await theirs.getByRole('textbox', { name: '输入消息' }).fill('I do')
  await theirs.keyboard.press('Enter')
  const answer = messageWith(page, 'I do')
  await answer.locator('.quoted', { hasText: 'Who brings the oars?' }).waitFor()
  await answer.getByText('bob_of_boats').waitFor()
  // Only those who have written in a group appear as typing there (im-15).
  await theirs.getByRole('textbox', { name: '输入消息' }).pressSequentially('I')
  await page.getByText('bob_of_boats is typing…').waitFor()

  await messageWith(page, 'And the flask?').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Write a message' }).fill('And the tea?')
  await page.getByRole('button', { name: 'Save' }).click()
  await messageWith(theirs, 'And the tea?').getByText('已编辑').waitFor()

  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer: PNG })
  await theirs.getByRole('button', { name: '图片', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Record a voice message' }).click()
  await page.getByText('Recording, 1 s').waitFor()
  await look(page, 'chat-recording')
  await page.getByRole('button', { name: 'Send the voice message' }).click()
  await theirs.locator('audio').waitFor()
  assert.deepEqual(await findings(page), [])
  assert.deepEqual(await findings(theirs), [])
  await look(page, 'chat-group-telephone')
  await look(theirs, 'chat-group-dark-zh')
  const { body } = await as(bob, 'GET', `/chats/${chat}/messages`)
  assert.deepEqual(
    body.data.map(({ body, file }: { body: string; file: { mime: string } | null }) => file?.mime ?? body),
    ['The group was created.', 'Who brings the oars?', 'And the tea?', 'I do', 'image/png', 'audio/wav'],
  )

  await page.getByRole('heading').getByRole('link', { name: 'Rowers' }).click()
  await page.getByLabel('Find users by name').fill('cleo_of')
  await page.locator('.pick').click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: 'cleo_of_boats' }).waitFor()
  await page.getByLabel('Group name').fill('Rowers of the harbour')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Rowers of the harbour' }).waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'chat-members')
  const theirChat = await as(cleo, 'GET', `/chats/${chat}`)
  assert.equal(theirChat.body.group.name, 'Rowers of the harbour')

  await as(cleo, 'POST', `/chats/${chat}/messages`, { body: 'Good morning' })
  await page.goto(`${address}/chats/${chat}`)
  await page.locator('html[data-ready]').waitFor()
  let isSeen = false
  const seen = page
    .getByText(/^\w+_of_boats and \w+_of_boats are typing…$/)
    .waitFor()
    .then(() => {
      isSeen = true
    })
  // Repeats, because the page shows a typing member for a few seconds only.
  while (!isSeen) {
    await Promise.all([bob, cleo].map((who) => as(who, 'POST', `/chats/${chat}/typing`)))
    await Promise.race([seen, setTimeout(500)])
  }
  await page.context().close()
  await theirs.context().close()
  assert.deepEqual(faults, [])
})

test('lets a member find an old message, report another and block its sender', { skip }, async () => {
  const { as, open, person, sql, faults } = site!
  const [dan, eve] = [await person({ name: 'dan_searches' }), await person({ name: 'eve_is_rude' })]
  const { body: chat } = await as(dan, 'PUT', `/chats/people/${eve.id}`)
  await as(eve, 'POST', `/chats/${chat.id}/messages`, { body: 'The heron stands in the reeds' })
  for (let n = 0; n < 40; n += 1)
    await as(eve, 'POST', `/chats/${chat.id}/messages`, { body: `Rude word number ${n}` })
  const page = await open('/chats', { person: dan })
  await page.getByRole('searchbox').fill('heron')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('link', { name: /The heron stands/ }).waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'chat-search')
  await page.getByRole('link', { name: /The heron stands/ }).click()
  await messageWith(page, 'The heron stands').waitFor()
  // The visible part ends before the newest message, so no message counts as read.
  assert.equal((await as(dan, 'GET', `/chats/${chat.id}`)).body.unread, 41)
  await page.getByRole('link', { name: 'Go to the newest messages' }).click()
  await messageWith(page, 'Rude word number 39').getByRole('button', { name: 'Report' }).click()
  await page.getByLabel('Reason for the report').fill('Rude')
  await page.locator('dialog').getByRole('button', { name: 'Report' }).click()
  await page.getByText('Moderators will review it.').waitFor()
  const reports = await sql`select from reports where reason = 'Rude'`
  assert.equal(reports.length, 1)
  const menu = page.getByLabel('Conversation options')
  await menu.click()
  await page.getByRole('button', { name: 'Mute' }).click()
  await page.getByRole('img', { name: 'Muted' }).waitFor()
  await menu.click()
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Block' }).click()
  await page.getByText('You blocked this user.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).count(), 0)
  assert.equal((await as(eve, 'POST', `/chats/${chat.id}/messages`, { body: 'Hey' })).status, 403)
  await page.context().close()
  assert.deepEqual(faults, [])
})

test('sends a picture once when its upload is retried', { skip }, async () => {
  const { as, open, person } = site!
  const [fred, gwen] = [await person(), await person()]
  const { body: chat } = await as(fred, 'PUT', `/chats/people/${gwen.id}`)
  const page = await open(`/chats/${chat.id}`, { person: fred })
  await page.route('**/api/v2/files', (route) => route.abort())
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer: PNG })
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute('**/api/v2/files')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.message').getByRole('button', { name: 'Delete' }).waitFor()
  const { body } = await as(gwen, 'GET', `/chats/${chat.id}/messages`)
  assert.deepEqual(
    body.data.map(({ file }: { file: { mime: string } }) => file.mime),
    ['image/png'],
  )
  await page.context().close()
})

test('hides the links to messages when the chat provider is external', { skip }, async () => {
  const { ctx, open, person } = site!
  const [hal, ida] = [await person(), await person()]
  const provider = ctx.config.imProvider
  ctx.config.imProvider = 'ejabberd'
  try {
    const page = await open(`/users/${ida.id}`, { person: hal })
    await page.getByRole('link', { name: 'Messages' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Write a message' }).waitFor({ state: 'detached' })
    await page.context().close()
  } finally {
    ctx.config.imProvider = provider
  }
})

test('explains on a phone why a message was not sent', { skip }, async () => {
  const { as, open, person, faults } = site!
  const [ann, bob] = [await person(), await person()]
  const { body: chat } = await as(ann, 'PUT', `/chats/people/${bob.id}`)
  const page = await open(`/chats/${chat.id}`, { person: ann, ...TELEPHONE })
  await page.route('**/messages', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 502 }) : route.continue(),
  )
  await say(page, 'Lost')
  const failure = messageWith(page, 'Lost').getByRole('alert')
  await failure.waitFor()
  await look(page, 'chat-not-sent')
  const box = await failure.boundingBox()
  assert.ok(box && box.width > 250, `the reason is ${box?.width} px wide`)
  await page.context().close()
  assert.deepEqual(faults, [])
})
