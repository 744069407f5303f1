import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { backupTasks } from '#backup/jobs.ts'
import { tryBackup } from '#backup/trial.ts'
import { hashPassword } from '#modules/accounts/index.ts'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole, settled } from '#test/console-browser.ts'

const skip = CANNOT_LOOK
const folder = await mkdtemp(join(tmpdir(), 'kith-console-backups-'))
after(() => rm(folder, { recursive: true, force: true }))
const world = skip
  ? undefined
  : await openConsole({
      BACKUP_TO: folder,
      BACKUP_PASSPHRASE: 'a passphrase of the tests',
      APP_SECRET: 'a secret of the tests, long enough',
    })
const PASSWORD = 'the words of the founder'

const picture = async (page: Page, name: string) => {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png`, fullPage: true })
}

/** Runs the waiting backup, which the tasks of the worker need a connection for. */
async function backUp(): Promise<void> {
  const { ctx, connection, sql } = world!
  const task = backupTasks(ctx, connection).scheduled_backup
  await task?.({}, { abortSignal: new AbortController().signal } as never)
  await sql`select graphile_worker.remove_job('backup_now')`
}

const jobsOf = async (task: string): Promise<number> => {
  const [row] = await world!.sql<[{ count: number }]>`
    select count(*)::int as count from graphile_worker.jobs where task_identifier = ${task}`
  return row.count
}

for (const [locale, words] of [
  [
    'en',
    {
      check: 'Check now',
      backup: 'Back up now',
      checked: 'The checks have started.',
      started: 'The backup has started.',
    },
  ],
  ['zh', { check: '立即检查', backup: '立即备份', checked: '检查已开始。', started: '备份已开始。' }],
] as const)
  test(`starts checks and a backup from the health card in ${locale}`, { skip }, async () => {
    const { open, sql, faults } = world!
    await sql`delete from graphile_worker._private_jobs`
    const page = await open('/', { locale })
    await page.getByRole('button', { name: words.check }).click()
    await page.getByText(words.checked).waitFor()
    assert.equal(await jobsOf('check_health'), 1)
    await page.getByRole('button', { name: words.backup }).click()
    await page.getByText(words.started).waitFor()
    assert.equal(await jobsOf('scheduled_backup'), 1)
    await settled(page)
    assert.deepEqual(await findings(page), [])
    await picture(page, `health-buttons-${locale}`)
    assert.deepEqual(faults, [])
    await page.context().close()
    await sql`delete from graphile_worker._private_jobs`
  })

test('makes, checks and downloads a backup in the console', { skip }, async () => {
  const { open, sql, founder, person, ctx, faults } = world!
  await sql`update users set password = ${await hashPassword(PASSWORD)} where id = ${founder.id}`
  await person()
  const page = await open('/backups')
  await page.getByText('No backup has been made yet.').waitFor()
  await picture(page, 'backups-empty')
  await page.getByRole('button', { name: 'Back up now' }).click()
  await page.getByRole('button', { name: 'Backing up…' }).waitFor()
  await backUp()
  const [name] = await readdir(folder)
  const row = page.locator(`[data-backup="${name}"]`)
  await row.waitFor()
  assert.match(await row.innerText(), /encrypted[\s\S]*not checked yet/)
  await row.getByRole('button', { name: 'Check' }).click()
  await row.getByText('waiting').waitFor()
  assert.equal(await jobsOf('check_backup_file'), 1)
  await sql`delete from graphile_worker._private_jobs`
  await tryBackup(sql, join(folder, name ?? ''), async () => ({ code: 0, last: 'No faults found.' }))
  await row.getByText('can be restored').waitFor()
  assert.equal(await page.locator('[data-restore]').count(), 0)
  assert.match(await page.getByText('npx kith restore').innerText(), new RegExp(`restore ${folder}/${name}`))
  await settled(page)
  assert.deepEqual(await findings(page), [])
  await picture(page, 'backups')

  await row.getByRole('button', { name: 'Download' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('a guess')
  await dialog.getByRole('button', { name: 'Download' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/password/i)
    .waitFor()
  assert.deepEqual(await findings(page), [])
  await picture(page, 'backups-download')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), name)
  assert.equal(new URL(download.url()).search, '')
  const bytes = await readFile(await download.path())
  assert.ok(bytes.equals(await readFile(join(folder, name ?? ''))))
  assert.match(bytes.toString('latin1', 0, 40), /^age-encryption\.org\/v1\n/)
  ctx.config.backupTo = undefined
  await page.reload()
  await page.getByText(/No place for backups is configured/).waitFor()
  ctx.config.backupTo = folder
  assert.deepEqual(faults, [])
  await page.context().close()
})

test('uploads a backup into a new site and requests its restore', { skip }, async () => {
  const { open, sql, founder, ctx, faults } = world!
  await sql`update users set password = ${await hashPassword(PASSWORD)} where id = ${founder.id}`
  await sql`delete from users where id <> ${founder.id}`
  let restarts = 0
  ctx.restart = () => {
    restarts += 1
  }
  const [name] = await readdir(folder)
  const page = await open('/backups', { locale: 'zh' })
  const card = page.locator('[data-restore]')
  await card.waitFor()
  const large = join(folder, 'large.backup')
  const bytes = Buffer.alloc(20 * 1024 * 1024, 7)
  ;(await readFile(join(folder, name ?? ''))).copy(bytes)
  await writeFile(large, bytes)
  await card.locator('input[type=file]').setInputFiles(large)
  const button = card.getByRole('button', { name: '恢复已上传的备份' })
  await button.waitFor()
  const stored = join(ctx.config.dataDir, 'restore', 'upload.backup')
  assert.ok((await readFile(stored)).equals(bytes))
  await settled(page)
  assert.deepEqual(await findings(page), [])
  await picture(page, 'backups-restore-zh')
  await button.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('您的密码').fill(PASSWORD)
  await picture(page, 'backups-restore-dialog-zh')
  await dialog.getByRole('button', { name: '删除并恢复' }).click()
  await page.getByText('服务器正在恢复备份').waitFor()
  await picture(page, 'backups-restoring-zh')
  assert.equal(restarts, 1)
  // The restart failed to change the site.
  const requests = join(ctx.config.dataDir, 'restore')
  await writeFile(
    join(requests, 'outcome.json'),
    JSON.stringify({ ended_at: new Date().toISOString(), fault: '备份已损坏' }),
  )
  await rm(join(requests, 'request.json'))
  await card.getByText('备份已损坏').waitFor()
  await picture(page, 'backups-restore-failed-zh')
  assert.equal((await stat(stored)).size, bytes.length)
  assert.deepEqual(faults, [])
  await page.context().close()
})
