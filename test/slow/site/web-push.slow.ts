import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { decrypt } from 'http_ece'
import type { Page } from 'playwright-core'
import { notify } from '#modules/notifications/index.ts'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openSite, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite({ PUSH_ALLOW_PRIVATE: 'true' })

async function openService() {
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(Buffer.concat(chunks))
    response.writeHead(201).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send/browser`
  const privateKey = createECDH('prime256v1')
  privateKey.generateKeys()
  const authSecret = randomBytes(16).toString('base64url')
  const keys = { p256dh: privateKey.getPublicKey().toString('base64url'), auth: authSecret }
  const messages = () =>
    bodies.map((body) => decrypt(body, { version: 'aes128gcm', privateKey, authSecret }).toString())
  return { endpoint, keys, messages }
}

/** Fakes the subscription, because tests cannot reach a browser's push service. */
const answerSubscriptions = (page: Page, subscription: { endpoint: string; keys: object }) =>
  page.addInitScript((given) => {
    const state = globalThis as unknown as {
      asked?: string
      held?: object
      sessionStorage: { setItem(key: string, value: string): void }
    }
    const made = {
      ...given,
      toJSON: () => given,
      unsubscribe: async () => {
        delete state.held
        state.sessionStorage.setItem('unsubscribed', '1')
        return true
      },
    }
    const { prototype } = (globalThis as unknown as { PushManager: { prototype: object } }).PushManager
    Object.assign(prototype, {
      async subscribe({ applicationServerKey }: { applicationServerKey: string }) {
        state.asked = applicationServerKey
        state.held = made
        return made
      },
      getSubscription: async () => state.held ?? null,
    })
  }, subscription)

/**
 * Dispatches a `notificationclick` event. Fakes `openWindow` and `focus`, because a browser permits both only after a
 * real click.
 */
async function clickNotification(page: Page): Promise<{ opened: string[]; focused: string[]; left: number }> {
  const [worker] = page.context().serviceWorkers()
  assert.ok(worker)
  return worker.evaluate(async () => {
    type Window = { url: string }
    const scope = globalThis as unknown as {
      clients: { openWindow(url: string): Promise<void> }
      registration: { getNotifications(): Promise<object[]> }
      WindowClient: { prototype: { focus(this: Window): Promise<void> } }
      NotificationEvent: new (name: string, given: object) => { waitUntil(work: Promise<unknown>): void }
      dispatchEvent(event: object): void
    }
    const [opened, focused]: string[][] = [[], []]
    scope.clients.openWindow = async (url) => void opened?.push(url)
    scope.WindowClient.prototype.focus = async function (this: Window) {
      focused?.push(this.url)
    }
    const [notification] = await scope.registration.getNotifications()
    const event = new scope.NotificationEvent('notificationclick', { notification })
    const works: Promise<unknown>[] = []
    event.waitUntil = (work) => void works.push(work)
    scope.dispatchEvent(event)
    await Promise.all(works)
    return {
      opened: opened ?? [],
      focused: focused ?? [],
      left: (await scope.registration.getNotifications()).length,
    }
  })
}

test('shows encrypted push messages in a subscribed browser (notifications-18)', {
  skip,
}, async () => {
  const { as, person, sql, work, open, address, faults } = site!
  const [ann, bob] = [await person(), await person()]
  const service = await openService()
  const page = await open('/', { person: ann, permissions: ['notifications'], serviceWorkers: 'allow' })
  await answerSubscriptions(page, service)
  await page.goto(`${address}/notifications/preferences`)
  await page.getByRole('button', { name: 'Turn on in this browser' }).click()
  await page.getByText('This browser receives push notifications until you sign out.').waitFor()
  assert.equal(
    await page.evaluate('asked'),
    (await as(ann, 'GET', '/user/push/key')).body.public_key,
    'the browser did not get the key of the site',
  )

  const cause = { type: 'feeds', id: 1 }
  const data = { contents: 'A word', resource: { type: 'feeds', id: 1 } }
  await notify(sql, { type: 'comment', recipients: [ann.id], senderId: bob.id, cause, data })
  await work()
  const [encrypted] = service.messages()
  assert.ok(encrypted)
  const devtools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${address}/`)
      if (own) resolve(own.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const registrationId = await registered
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: address,
    registrationId,
    data: encrypted,
  })
  const shown = `navigator.serviceWorker.getRegistration('/').then((found) => found.getNotifications())`
  await until(page, `${shown}.then((list) => list.length === 1)`)
  const { id } = JSON.parse(encrypted).data
  const fields = '({ title, body, tag, data }) => ({ title, body, tag, data })'
  assert.deepEqual(await page.evaluate(`${shown}.then((list) => list.map(${fields}))`), [
    {
      title: `${bob.name} wrote to you`,
      body: 'A word',
      tag: `comment ${id}`,
      data: { link: JSON.parse(encrypted).data.link ?? '/notifications' },
    },
  ])

  const link = `${address}/feeds/1`
  assert.deepEqual(await clickNotification(page), { opened: [link], focused: [], left: 0 })
  const deliver = (data: string) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin: address, registrationId, data })
  // Uses new tags, because a late close of a clicked notification would also close the next notification with
  // the same tag.
  const linked = (id: number, to: string) =>
    deliver(JSON.stringify({ title: 'A word', text: '', badge: 0, data: { type: 'system', id, link: to } }))
  await linked(2, '/notifications/preferences')
  await until(page, `${shown}.then((list) => list.length === 1)`)
  assert.deepEqual(await clickNotification(page), { opened: [], focused: [page.url()], left: 0 })
  await linked(3, 'javascript:alert(1)')
  await until(page, `${shown}.then((list) => list.length === 1)`)
  assert.deepEqual(await clickNotification(page), { opened: [], focused: [], left: 0 })

  await page.getByRole('button', { name: 'Turn off in this browser' }).click()
  await page.getByText('This browser does not receive push notifications.').waitFor()
  assert.deepEqual((await as(ann, 'GET', '/user/devices')).body, [])
  await page.context().close()
  assert.deepEqual(faults, [])
})

test('ends the subscription of a browser at the sign-out', { skip }, async () => {
  const { person, open, address } = site!
  const page = await open('/', {
    person: await person(),
    permissions: ['notifications'],
    serviceWorkers: 'allow',
  })
  await answerSubscriptions(page, await openService())
  await page.goto(`${address}/notifications/preferences`)
  await page.getByRole('button', { name: 'Turn on in this browser' }).click()
  await page.getByText('This browser receives push notifications until you sign out.').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  assert.equal(await page.evaluate(`sessionStorage.getItem('unsubscribed')`), '1')
  await page.context().close()
})

test('registers no subscription when the browser blocks notifications', { skip }, async () => {
  const { as, person, open } = site!
  const ann = await person()
  const page = await open('/notifications/preferences', { person: ann, permissions: [] })
  await page.getByRole('button', { name: 'Turn on in this browser' }).click()
  await page.getByText('The browser blocks notifications from this site.').waitFor()
  assert.deepEqual((await as(ann, 'GET', '/user/devices')).body, [])
  await page.context().close()
})
