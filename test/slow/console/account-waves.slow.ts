import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole, settled } from '#test/console-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()

const picture = async (page: Page, name: string) => {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png`, fullPage: true })
}

async function invited(by: Person, count: number): Promise<Person[]> {
  const { person, sql } = world!
  const people: Person[] = []
  for (let n = 0; n < count; n += 1) {
    const one = await person()
    await sql`insert into invitation_uses (user_id, inviter_id) values (${one.id}, ${by.id})`
    people.push(one)
  }
  return people
}

for (const [locale, words] of [
  [
    'en',
    {
      create: 'New account wave',
      inviter: 'Invited by, directly or through others',
      network: 'Network of a sign-in',
      save: 'Preview',
      none: 'No account matches',
      disable: 'Disable these accounts',
      reason: 'Reason, for the audit log',
      sure: 'Disable 23 accounts',
      outcome: 'disabled',
      undo: 'Undo',
      undoSure: 'Undo the wave',
      back: 'enabled again',
      audit: /disabled the accounts of the account wave #/,
      next: 'Go to next page',
    },
  ],
  [
    'zh',
    {
      create: '新建批量处理',
      inviter: '直接或间接邀请人',
      network: '登录网段',
      save: '预览',
      none: '没有符合条件的账号',
      disable: '停用这些账号',
      reason: '理由（记入操作日志）',
      sure: '停用 23 个账号',
      outcome: '已停用',
      undo: '撤销',
      undoSure: '撤销批次',
      back: '已恢复',
      audit: /停用了批量处理/,
      next: '下一页',
    },
  ],
] as const)
  test(`previews, decides and undoes a wave in the console in ${locale}`, { skip }, async () => {
    const { open, person, sql, as, founder, work, faults } = world!
    const root = await person({ name: `root_${locale}` })
    const people = await invited(root, 23)
    const feed = { feed_content: 'Cheap watches', feed_from: 1, feed_mark: root.id }
    assert.equal((await as(people[0]!, 'POST', '/feeds', feed)).status, 201)
    await sql`update token_families set network = '203.0.113.0/24' where user_id = ${people[1]!.id}`
    const page = await open('/account-waves', { locale })
    await settled(page)
    await page.getByRole('link', { name: words.create }).first().click()
    await page.getByLabel(words.network).fill('198.51.100.0/24')
    await page.getByRole('button', { name: words.save }).click()
    await page.getByText(words.none).waitFor()
    await page.getByLabel(words.network).fill('')
    await page.getByLabel(words.inviter).fill(root.name)
    await page.getByRole('option', { name: root.name }).click()
    await settled(page)
    assert.deepEqual(await findings(page), [])
    await picture(page, `waves-form-${locale}`)
    await page.getByRole('button', { name: words.save }).click()
    await page.getByRole('button', { name: words.disable }).waitFor()
    await settled(page)
    assert.deepEqual(await findings(page), [])
    assert.equal(await page.getByRole('row').count(), 21)
    // The address names the wave, but no filter of it.
    assert.match(
      new URL(page.url()).pathname + new URL(page.url()).search,
      /^\/admin\/account-waves\/\d+\/show$/,
    )
    await picture(page, `waves-preview-${locale}`)

    await page.getByRole('button', { name: words.disable }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByRole('button', { name: words.sure }).isDisabled(), true)
    await dialog.getByLabel(words.reason).fill('Bought accounts')
    assert.deepEqual(await findings(page), [])
    await picture(page, `waves-dialog-${locale}`)
    await dialog.getByRole('button', { name: words.sure }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('progressbar').waitFor()
    await picture(page, `waves-running-${locale}`)
    await work()
    const cell = page.getByRole('cell', { name: words.outcome, exact: true }).first()
    await cell.waitFor()
    await page.getByRole('button', { name: words.undo, exact: true }).waitFor()
    const disabled = async () =>
      (await sql`select from users where id = any(${people.map(({ id }) => id)}) and deleted_at is not null`)
        .count
    assert.equal(await disabled(), 23)
    await settled(page)
    await picture(page, `waves-done-${locale}`)

    await page.getByRole('button', { name: words.undo, exact: true }).click()
    await dialog.getByLabel(words.reason).fill('A mistake')
    await dialog.getByRole('button', { name: words.undoSure }).click()
    await dialog.waitFor({ state: 'hidden' })
    await work()
    await page.getByRole('cell', { name: words.back, exact: true }).first().waitFor()
    assert.equal(await disabled(), 0)
    const id = /account-waves\/(\d+)/.exec(page.url())?.[1]
    assert.equal((await as(founder, 'GET', `/admin/account-waves/${id}`)).body.state, 'undone')
    await page.context().close()

    const telephone = await open(`/account-waves/${id}/show`, {
      locale,
      viewport: { width: 390, height: 844 },
    })
    await settled(telephone)
    assert.deepEqual(await findings(telephone), [])
    assert.equal(await telephone.evaluate('document.documentElement.scrollWidth'), 390)
    await picture(telephone, `waves-telephone-${locale}`)
    await telephone.context().close()

    const log = await open('/audit-log', { locale })
    await log.getByText(words.audit).first().waitFor()
    await picture(log, `waves-audit-${locale}`)
    await log.context().close()
    const list = await open('/account-waves', { locale })
    await settled(list)
    assert.deepEqual(await findings(list), [])
    await picture(list, `waves-list-${locale}`)
    await list.context().close()
    assert.deepEqual(faults, [])
  })
