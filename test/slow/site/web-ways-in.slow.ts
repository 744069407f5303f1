import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { startOpenIdProvider } from '#test/fixtures/outside-providers.ts'
import { until } from '#test/fixtures/streams.ts'
import { settingsOn } from '#test/sign-up.ts'
import { agree, findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const provider = skip ? undefined : await startOpenIdProvider({ redirectsAnywhere: true })
const { LINKED_COMPANY_REDIRECT_URL: _, ...settings } = provider?.env ?? { LINKED_COMPANY_REDIRECT_URL: '' }
const site = skip
  ? undefined
  : await openSite({ LINKED_PROVIDERS: 'company', LINKED_COMPANY_LABEL: 'The Company', ...settings })

const PASSWORD = 'correct horse'
const withPassword = async (name: string) => {
  const person = await site!.person({ name })
  const body = { password: PASSWORD, password_confirmation: PASSWORD }
  await site!.as(person, 'PUT', '/api/v2/user/password', body)
  return person
}

async function signInThere(page: Page, login: string) {
  // Blocks the provider's web font, which tests cannot load.
  await page.route(/googleapis/, (route) => route.abort())
  // Waits for the provider's page, because the previous page has an input of the same name.
  await page.waitForURL(`${provider!.env.LINKED_COMPANY_ISSUER}/**`)
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${site!.address}/**`)
}

const nameOf = (page: Page) =>
  page.evaluate("fetch('/api/v2/user').then((reply) => reply.json()).then(({ name }) => name)")
const errorsOf = () =>
  site!.faults.filter((fault) => !/^asked (http:\/\/127\.0\.0\.1|https:\/\/fonts\.googleapis)/.test(fault))

test('registers with an external account (sign-in-24)', {
  skip,
}, async () => {
  const page = await site!.open('/sign-in?next=/news', TELEPHONE)
  await look(page, 'sign-in-outside')
  await page.getByRole('button', { name: 'Continue with The Company' }).click()
  await signInThere(page, 'ann')
  await page.getByText('Your The Company account is not linked to an account on this site yet.').waitFor()
  assert.equal(new URL(page.url()).search, '', 'the code stays in the history')
  assert.deepEqual(await findings(page), [])
  await look(page, 'outside-unknown')
  await page.getByLabel('Username', { exact: true }).fill('x')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Username', { exact: true }).fill('ann_outside')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`${site!.address}/news`)
  assert.equal(await nameOf(page), 'ann_outside')
  await page.context().close()

  const again = await site!.open('/join')
  await again.getByRole('button', { name: 'Continue with The Company' }).click()
  await signInThere(again, 'ann')
  await again.waitForURL(`${site!.address}/`)
  assert.equal(await nameOf(again), 'ann_outside')
  await again.context().close()
  assert.deepEqual(errorsOf(), [])
})

test('links and unlinks an external account (sign-in-26)', {
  skip,
}, async () => {
  await withPassword('bob_here')
  const page = await site!.open('/sign-in')
  await page.getByRole('button', { name: 'Continue with The Company' }).click()
  await signInThere(page, 'bob')
  await page.getByLabel('Username, e-mail or phone').fill('bob_here')
  await page.getByLabel('Password').fill('wrong horse')
  await page.getByRole('button', { name: 'Link and sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Link and sign in' }).click()
  await page.waitForURL(`${site!.address}/`)
  assert.equal(await nameOf(page), 'bob_here')

  await page.goto(`${site!.address}/account/security`)
  await page.getByRole('button', { name: 'Unlink: The Company' }).click()
  await agree(page, 'Unlink')
  await page.getByText('The account was unlinked.').waitFor()
  await page.getByRole('button', { name: 'Link: The Company' }).click()
  // The provider remembers this browser and skips its sign-in page.
  await page.waitForURL(`${site!.address}/sign-in/company`)
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Link The Company' }).click()
  await page.getByRole('button', { name: 'Unlink: The Company' }).waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'linked-accounts')

  // A new password unlinks external accounts only on request (sign-in-7).
  for (const [unlinks, next] of [
    [false, 'another horse'],
    [true, 'a third horse'],
  ] as const) {
    const form = page.locator('form').filter({ has: page.getByLabel('Current password') })
    await form.getByLabel('Current password').fill(unlinks ? 'another horse' : PASSWORD)
    await form.getByLabel('New password').fill(next)
    if (unlinks) await form.getByRole('checkbox').check()
    const changed = page.waitForResponse((answer) => answer.url().endsWith('/user/password'))
    await form.getByRole('button').click()
    assert.equal((await changed).status(), 204)
    await until(async () => (await form.getByLabel('New password').inputValue()) === '', 'the empty form')
    await page.getByRole('button', { name: `${unlinks ? 'Link' : 'Unlink'}: The Company` }).waitFor()
  }
  await page.getByRole('checkbox').waitFor({ state: 'detached' })
  await page.context().close()
})

test("accepts the provider's redirect only in the browser that started the sign-in", { skip }, async () => {
  const page = await site!.open('/sign-in/company?code=planted&state=planted')
  await page.getByText('This sign-in has expired or was started in another browser.').waitFor()
  await page.goto(`${site!.address}/sign-in/company?error=access_denied`)
  await page.getByText('You cancelled the sign-in.').waitFor()
  await page.getByRole('link', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: 'Continue with The Company' }).click()
  await page.waitForURL(`${provider!.env.LINKED_COMPANY_ISSUER}/**`)
  await page.goto(`${site!.address}/sign-in/company?error=access_denied`)
  await page.getByText('You cancelled the sign-in.').waitFor()
  await page.context().close()
})

test('adds a phone number and removes an e-mail address with verification codes', { skip }, async () => {
  const { sql, outbox, work } = site!
  const eve = await withPassword('eve_moves')
  await sql`update users set email = 'eve@kith.example', email_key = 'eve@kith.example' where id = ${eve.id}`
  const page = await site!.open('/account/security', { person: eve })
  const codeFor = async (to: string) => {
    await page.getByText('The code was sent.').last().waitFor()
    await work()
    return /\d{6}/.exec(outbox.findLast((message) => message.to.endsWith(to))?.text ?? '')?.[0] ?? ''
  }
  await page.getByLabel('New phone number, with country code').fill('+8613800138000')
  await page.getByRole('button', { name: 'Send code' }).last().click()
  await page.getByLabel('Verification code', { exact: true }).fill(await codeFor('13800138000'))
  await page.locator('form').filter({ hasText: 'New phone' }).getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /Remove: .*13800138000/ }).waitFor()

  await page.getByRole('button', { name: 'Remove: eve@kith.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send code' }).click()
  await dialog.getByLabel('Verification code').fill(await codeFor('eve@kith.example'))
  await dialog.getByLabel('Current password').fill(PASSWORD)
  assert.deepEqual(await findings(page), [])
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Not set', { exact: true }).waitFor()
  const [row] = await sql<{ email: string | null }[]>`select email from users where id = ${eve.id}`
  assert.equal(row?.email, null)
  await page.context().close()
})

test('creates and revokes an invitation (registration-6)', {
  skip,
}, async () => {
  const founder = await site!.person({ roles: ['founder'] })
  const page = await site!.open('/account/invitations', { person: founder })
  await page.getByText('No invitations yet.').waitFor()
  await page.getByLabel('Number of uses').fill('2')
  await page.getByLabel('Note (only you see it)').fill('for the choir')
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await page.getByText('0 of 2 used').waitFor()
  await page.getByText('for the choir').waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'invitations')
  const [row] = await site!.sql<{ code: string }[]>`select code from invitations`
  await settingsOn(site!)({ 'register:type': 'invited' }, async () => {
    const guest = await site!.open(`/join?invitation=${row?.code}`)
    assert.equal(await guest.getByLabel('Invitation code').inputValue(), row?.code)
    await guest.context().close()
  })
  await page.getByRole('button', { name: `Revoke: ${row?.code}` }).click()
  await agree(page, 'Revoke')
  await page.getByText('no longer valid').waitFor()
  await page.context().close()
  assert.deepEqual(errorsOf(), [])
})

test('lets a suspended user appeal and cancel the deletion of the account', { skip }, async () => {
  const zoe = await withPassword('zoe_loud')
  const founder = await site!.person({ roles: ['founder'] })
  const until = '2099-01-01 00:00:00'
  const sanction = { kind: 'suspension', reason: 'Selling watches', until }
  const made = await site!.as(founder, 'POST', `/api/v2/admin/users/${zoe.id}/sanctions`, sanction)
  assert.ok(made.status < 300, JSON.stringify(made.body))
  const page = await site!.open('/sign-in')
  await page.getByLabel('Username, e-mail or phone').fill(zoe.name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'Selling watches' }).waitFor()
  await look(page, 'suspended')
  assert.deepEqual(await findings(page), [])
  await page.getByLabel('Reason for your appeal').fill('They were not watches')
  await page.getByRole('button', { name: 'Submit appeal' }).click()
  await page.getByText('Appeal submitted. Moderators will review it.').waitFor()
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await agree(page, 'Delete my account')
  await page.getByRole('button', { name: 'Cancel the deletion' }).click()
  await page.getByText('The deletion was cancelled.').waitFor()
  await page.getByRole('button', { name: 'Delete my account' }).waitFor()
  await page.context().close()
  assert.deepEqual(errorsOf(), [])
})

test('registers after a wrong address, and says that a password was reset', { skip }, async () => {
  const { outbox, sql, work } = site!
  const codeOf = async (to: string) => {
    await work()
    return outbox.findLast((sent) => sent.to === to)?.code as string
  }
  const page = await site!.open('/join', TELEPHONE)
  const sendCode = async (label: string, to: string) => {
    await page.getByLabel(label, { exact: true }).fill(to)
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByLabel('Verification code').waitFor()
  }
  const startOver = () =>
    page.getByRole('link', { name: 'Use another address or ask for a new code' }).click()
  await sendCode('E-mail', 'ruth@wrong.example')
  await look(page, 'join-code')
  assert.deepEqual(await findings(page), [])
  await startOver()
  await sendCode('E-mail', 'ruth@example.org')
  await page.getByLabel('Verification code').fill(await codeOf('ruth@example.org'))
  await page.getByLabel('Username').fill('ruth_of_the_quay')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`${site!.address}/`)
  assert.equal(await nameOf(page), 'ruth_of_the_quay')
  await page.context().clearCookies()
  await page.goto(`${site!.address}/forgotten-password`)
  await page.locator('html[data-ready]').waitFor()
  await sendCode('E-mail or phone', 'ruth@example.org')
  await startOver()
  await sql`update verification_codes set created_at = created_at - interval '1 minute'`
  await sendCode('E-mail or phone', 'ruth@example.org')
  await page.getByLabel('Verification code').fill(await codeOf('ruth@example.org'))
  await page.getByLabel('New password').fill('another horse')
  await page.getByRole('button', { name: 'Set new password' }).click()
  await page.getByText('Your password was changed. Sign in with the new password.').waitFor()
  await look(page, 'sign-in-after-reset')
  await page.context().close()
  assert.deepEqual(errorsOf(), [])
})
