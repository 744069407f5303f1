import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { BROWSER, CANNOT_LOOK } from '#test/chromium.ts'
import { crash, killAll, send, startServer } from '#test/fixtures/sites.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { buildSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const folder = await mkdtemp(join(tmpdir(), 'kith-day-'))
const dataDir = join(folder, 'data')
const port = String(await findFreePort())
const address = `http://127.0.0.1:${port}`
after(async () => {
  killAll()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

const start = async () => {
  const server = startServer(dataDir, { PORT: port, WEB: 'on', WORKER: 'inside' })
  await waitForAnswer(`${address}/health/ready`)
  return server
}

const signIn = async (login: string, password: string): Promise<string> => {
  const { status, body } = await send(address, '', 'POST', '/auth/login', { login, password })
  assert.equal(status, 200)
  return (body as { access_token: string }).access_token
}

const ready = (page: Page) => page.locator('html[data-ready]').waitFor()
const PASSWORD = 'a password of the day'

test('stores each action of a member once although the server is killed', {
  skip,
}, async () => {
  await buildSite()
  let server = await start()
  let root = await signIn('root', 'founder password')
  const call = async <T>(token: string, method: string, path: string, body?: object): Promise<T> => {
    const answer = await send(address, token, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const made = (name: string) =>
    call<{ id: number }>(root, 'POST', '/admin/users', {
      name,
      password: PASSWORD,
      email: `${name}@example.org`,
    })
  const [ada, lin] = [await made('ada_of_day'), await made('lin_of_day')]
  await call(root, 'POST', `/admin/users/${ada.id}/points`, { amount: 100, reason: 'a gift' })
  await call(root, 'POST', '/admin/question-topics', { name: 'Nets', description: 'How to mend them' })
  const hers = await signIn('lin_of_day', PASSWORD)
  const secret = 'The secret begins here and goes on for much longer than what everybody may read of it. '
  const paid = await call<{ id: number }>(hers, 'POST', '/feeds', {
    feed_content: secret.repeat(4),
    feed_from: 1,
    feed_mark: 1,
    amount: 10,
  })
  const plain = await call<{ id: number }>(hers, 'POST', '/feeds', {
    feed_content: 'Low water at nine.',
    feed_from: 1,
    feed_mark: 2,
  })

  const browser = await chromium.launch({
    executablePath: BROWSER as string,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  after(() => browser.close())
  const page = await browser.newPage(TELEPHONE)
  page.setDefaultTimeout(60_000)
  await page.goto(`${address}/sign-in?next=%2Fwallet`)
  await ready(page)
  await page.getByLabel('Username, e-mail or phone').fill('ada_of_day')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Check in today' }).click()
  await page.getByText('1 day in a row').waitFor()

  /** Kills the server during the request, and presses the button again after a restart. */
  const pressDuringKill = async (button: string, done: () => Promise<unknown>) => {
    const pressed = page.getByRole('button', { name: button, exact: true })
    // The script of a dialog arrives with a request of its own.
    await pressed.waitFor()
    const killed = new Promise<void>((resolve) => {
      page.once('request', () => resolve(crash(server)))
    })
    await pressed.click()
    await killed
    server = await start()
    for (let n = 0; n < 5; n += 1) {
      if (await Promise.race([done().then(() => true), page.waitForTimeout(6_000).then(() => false)])) return
      // The action can complete at this moment and remove the button, so these calls need short timeouts.
      if (await pressed.isEnabled({ timeout: 1_000 }).catch(() => false))
        await pressed.click({ timeout: 5_000 }).catch(() => {})
    }
    throw new Error(`${button} was never done`)
  }

  await page.goto(address)
  await ready(page)
  await page.getByLabel('What is happening?').fill('A day at the harbour')
  await pressDuringKill('Publish', () => page.getByText('Published.', { exact: true }).waitFor())

  await page.goto(`${address}/feeds/${plain.id}`)
  await ready(page)
  const isLiked = page.waitForResponse(
    (answer) => answer.url().endsWith(`/feeds/${plain.id}/like`) && answer.ok(),
  )
  await page.getByRole('button', { name: 'Like' }).first().click()
  await isLiked
  await page.getByLabel('Write a comment').fill('It was ten past')
  await pressDuringKill('Comment', () => page.locator('.comment-list').getByText('It was ten past').waitFor())

  await page.goto(`${address}/feeds/${paid.id}`)
  await ready(page)
  await page.getByRole('button', { name: 'Read the full text for 10 points' }).click()
  await pressDuringKill('Pay 10 points', () => page.locator('dialog').waitFor({ state: 'detached' }))

  await page.goto(`${address}/questions/ask`)
  await ready(page)
  await page.getByLabel('Question', { exact: true }).fill('Who mends nets?')
  await page.locator('.topics input').first().check()
  await page.getByLabel('Details').fill('Mine has holes.')
  await page.getByLabel('Bounty in points').fill('20')
  await pressDuringKill('Publish question', () =>
    page.getByRole('heading', { name: 'Who mends nets?' }).waitFor(),
  )

  await page.goto(`${address}/users/${lin.id}`)
  await ready(page)
  await page.getByRole('button', { name: 'Follow', exact: true }).click()
  await page.getByRole('button', { name: 'Write a message' }).click()
  await page.waitForURL(/\/chats\/\d+$/)
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Is the ferry late?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Is the ferry late?').waitFor()

  root = await signIn('root', 'founder password')
  const mine = await signIn('ada_of_day', PASSWORD)
  const { feeds } = await call<{ feeds: { feed_content: string }[] }>(
    mine,
    'GET',
    `/feeds?type=users&user=${ada.id}`,
  )
  assert.deepEqual(
    feeds.map(({ feed_content }) => feed_content),
    ['A day at the harbour'],
  )
  const liked = await call<{ like_count: number; feed_comment_count: number }>(
    mine,
    'GET',
    `/feeds/${plain.id}`,
  )
  assert.deepEqual([liked.like_count, liked.feed_comment_count], [1, 1])
  const questions = await call<{ subject: string }[]>(mine, 'GET', '/questions?type=new')
  assert.deepEqual(
    questions.map(({ subject }) => subject),
    ['Who mends nets?'],
  )
  const me = await call<{
    currency: { sum: number }
    extra: { checkin_count: number; followings_count: number }
  }>(mine, 'GET', '/user')
  const checkedIn = await call<{ amount: number }[]>(mine, 'GET', '/currency/orders?limit=50')
  assert.equal(me.currency.sum, 100 + (checkedIn.at(-2)?.amount ?? 0) - 10 - 20)
  assert.equal(checkedIn.length, 4)
  assert.deepEqual([me.extra.checkin_count, me.extra.followings_count], [1, 1])
  const [chat] = await call<{ id: number }[]>(mine, 'GET', '/chats')
  const messages = await call<{ data: { body: string }[] }>(mine, 'GET', `/chats/${chat?.id}/messages`)
  assert.deepEqual(
    messages.data.map(({ body }) => body),
    ['Is the ferry late?'],
  )
  const audit = await call<{ balanced: boolean }>(root, 'GET', '/admin/ledger/audit')
  assert.equal(audit.balanced, true)
})
