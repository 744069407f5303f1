import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { noisyPicture } from '#test/fixtures/media.ts'
import { createCategory, createTag, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { look, openSite, TELEPHONE } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const PASSWORD = 'correct horse'
const PNG = { name: 'boat.png', mimeType: 'image/png', buffer: await noisyPicture(600, 400).png().toBuffer() }

async function fill() {
  const { as, person } = site!
  const lin = await person({ name: 'lin_of_the_harbour' })
  const post = { feed_content: 'Low water at nine.', feed_from: 1, feed_mark: 1 }
  const feed: number = (await as(lin, 'POST', '/feeds', post)).body.id
  const groups = groupMaker(site!)
  const group = await groups.group(lin, { name: 'Harbour' })
  await createCategory(site!, await newsEditor(site!))
  await createTag(site!)
  await setSettings(site!, {
    'news:contribute:verified': false,
    'news:contribute:pay': false,
  })
  return { lin, feed, group, join: groups.join }
}
const made = site ? await fill() : undefined

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in to continue' })

/** Ends the session on the server, as an expiry does. */
async function expire(page: Page): Promise<void> {
  const cookies = await page.context().cookies()
  const [token] = cookies.find(({ name }) => name === 'kith_session')!.value.split('.')
  await site!.guest('POST', '/auth/logout', {}, { authorization: `Bearer ${token}` })
}

async function signInAgain(page: Page): Promise<void> {
  await dialog(page).waitFor()
  const focused = '({ name: document.activeElement.name })'
  assert.deepEqual(await page.evaluate(focused), { name: 'password' })
  await dialog(page).getByLabel('Password').fill(PASSWORD)
  await dialog(page).getByRole('button', { name: 'Sign in' }).click()
  await dialog(page).waitFor({ state: 'detached' })
}

const publish = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click()

type Place = { path: string; write(page: Page): Promise<unknown>; done(page: Page): Promise<unknown> }

async function placesOf(ann: Person): Promise<Place[]> {
  const { lin, feed, group, join } = made!
  await join(group, lin, ann)
  const question = await questionsOf(site!).ask(lin, { subject: 'Where do eels go?' })
  const chat = await chatsOf(site!).pair(ann, lin)
  return [
    {
      path: `/feeds/${feed}`,
      write: async (page) => {
        await page.getByLabel('Write a comment').fill(`A comment of ${ann.name}`)
        await publish(page, 'Comment')
      },
      done: (page) => page.locator('.comment-list').getByText(`A comment of ${ann.name}`).waitFor(),
    },
    {
      path: '/questions/ask',
      write: async (page) => {
        await page.getByLabel('Question', { exact: true }).fill('How deep is the harbour?')
        await page.getByRole('checkbox').first().check()
        await publish(page, 'Publish question')
      },
      done: (page) => page.getByRole('heading', { name: 'How deep is the harbour?' }).waitFor(),
    },
    {
      path: `/questions/${question}`,
      write: async (page) => {
        await page.getByLabel('Write an answer').fill('To the Sargasso Sea.')
        await publish(page, 'Publish answer')
      },
      done: (page) => page.getByText('Published.').waitFor(),
    },
    {
      path: '/news/write',
      write: async (page) => {
        await page.getByLabel('Title').fill('Tides')
        await page.getByLabel('Text (Markdown)').fill('High and low.')
        await page.getByRole('group', { name: 'Tags' }).getByRole('checkbox').first().check()
        await publish(page, 'Submit for review')
      },
      done: (page) => page.waitForURL('**/news/mine'),
    },
    {
      path: `/groups/${group}`,
      write: async (page) => {
        await page.getByRole('button', { name: 'Write a post' }).click()
        await page.getByLabel('Title').fill(`A post of ${ann.name}`)
        await page.getByLabel('Text').fill('Hello, harbour.')
        await publish(page, 'Publish')
      },
      done: (page) => page.getByRole('link', { name: `A post of ${ann.name}` }).waitFor(),
    },
    {
      path: `/chats/${chat}`,
      write: async (page) => {
        await page.getByLabel('Write a message').fill('Are you awake?')
        await publish(page, 'Send')
      },
      done: (page) => page.locator('.message').getByRole('button', { name: 'Edit' }).waitFor(),
    },
    {
      path: `/users/${lin.id}`,
      write: async (page) => {
        await page.locator('.profile').getByRole('button', { name: 'Report' }).click()
        await page.getByLabel('Reason for the report').fill('Too loud')
        await publish(page, 'Report')
      },
      done: (page) => page.getByText('Moderators will review it.').waitFor(),
    },
    {
      path: '/',
      write: (page) => page.locator('.compose input[type=file]').setInputFiles(PNG),
      done: async (page) => {
        await publish(page, 'Publish')
        await page.getByText('Published.').waitFor()
        await page.locator('.compose').getByRole('listitem').waitFor({ state: 'detached' })
      },
    },
    {
      path: '/news/write',
      write: (page) => page.getByLabel('Insert a picture into the text').setInputFiles(PNG),
      done: (page) => page.getByRole('region', { name: 'Preview' }).getByRole('img').waitFor(),
    },
    {
      path: '/settings',
      write: async (page) => {
        const chooser = page.waitForEvent('filechooser')
        await page.getByRole('button', { name: 'Change profile picture' }).click()
        await (await chooser).setFiles([PNG])
        await page.getByRole('button', { name: 'Use this picture' }).click()
      },
      done: (page) => page.waitForURL('**/me'),
    },
    {
      path: '/settings',
      write: async (page) => {
        await page.getByLabel('About me').fill('I like water')
        await publish(page, 'Save')
      },
      done: (page) => page.waitForURL('**/me'),
    },
  ]
}

for (const [width, options] of [
  ['1280', {}],
  ['390', TELEPHONE],
] as const)
  test(`signs in above each kind of writing and sends what was typed, ${width} px`, { skip }, async () => {
    const ann = await site!.person({ name: `ann_${width}` })
    const body = { password: PASSWORD, password_confirmation: PASSWORD }
    await site!.as(ann, 'PUT', '/user/password', body)
    const places = await placesOf(ann)
    const page = await site!.open('/news', { person: ann, ...options })
    page.setDefaultTimeout(15_000)
    for (const [n, { path, write, done }] of places.entries()) {
      await page.goto(site!.address + path)
      await page.locator('html[data-ready]').waitFor()
      await expire(page)
      await write(page)
      await dialog(page)
        .waitFor()
        .catch((cause) => {
          throw new Error(`${path} (${n}) asked for no sign-in`, { cause })
        })
      await look(page, `session-end-${n}-${width}`)
      await signInAgain(page)
      await done(page)
    }
    assert.deepEqual(site!.faults, [])
    await page.context().close()
  })

test('signs in above a list of a member and loads its next part', { skip }, async () => {
  const { as, person, open } = site!
  const ann = await person({ name: 'ann_of_lists' })
  await as(ann, 'PUT', '/user/password', { password: PASSWORD, password_confirmation: PASSWORD })
  for (let n = 0; n < 20; n += 1) {
    const body = { feed_content: `Buoy ${n}`, feed_from: 1, feed_mark: 100 + n }
    const { id } = (await as(made!.lin, 'POST', '/feeds', body)).body
    await as(ann, 'POST', `/feeds/${id}/collections`)
  }
  const page = await open('/saved', { person: ann, viewport: { width: 1280, height: 400 } })
  await expire(page)
  await page.getByRole('link', { name: 'Show more' }).scrollIntoViewIfNeeded()
  await signInAgain(page)
  await page.getByText('Buoy 0', { exact: true }).waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})
