import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import S3rver from 's3rver'
import { testBackupPlace } from '#backup/check.ts'
import { createMail } from '#modules/accounts/mail.ts'
import { readConfig } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { createS3Storage } from '#platform/files'
import { createLog } from '#platform/observability'
import { mailServer } from '#test/fixtures/mail-server.ts'
import { findFreePort } from '#test/servers.ts'
import { SITE } from '../src/site.ts'

const PAGE = new URL('../docs/troubleshooting.md', import.meta.url)
const [BEGIN, END] = ['<!-- wrong configurations -->\n', '<!-- end -->\n']

const folder = await mkdtemp(join(tmpdir(), 'kith-wrong-'))
after(() => rm(folder, { recursive: true, force: true }))
await mkdir(join(folder, 's3'))
const file = join(folder, 'file')
await writeFile(file, '')
const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(folder, 's3'),
  configureBuckets: [{ name: 'kith', configs: [] }],
})
const endpoint = `http://127.0.0.1:${(await store.run()).port}`
after(() => store.close())
const closed = await findFreePort()
const S3 = {
  bucket: 'kith',
  region: 'us-east-1',
  endpoint,
  forcePathStyle: true,
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
}
const CLOSED = { endpoint: `http://127.0.0.1:${closed}` }
const S3_ENV = { STORAGE: 's3', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }

const faultOf = (work: () => Promise<unknown>): Promise<string | undefined> =>
  work().then(
    () => undefined,
    (error: Error) => error.message,
  )

const start = (env: Record<string, string>) => faultOf(async () => readConfig(env))
const mail = (smtpUrl: string) => async () => {
  const transport = createMail({ smtpUrl, mailFrom: 'kith@kith.example' }, createLog({ level: 'silent' }))
  const fault = await faultOf(() =>
    transport.send({ to: 'jo@mail.example', subject: 'x', text: 'x', kind: 'message' }),
  )
  await transport.close()
  return fault
}
const uploads = (change: Partial<typeof S3>) => () => {
  const probe = SITE.probes.find(({ part }) => part === 'uploads')
  return faultOf(async () =>
    probe?.check({ storage: createS3Storage({ ...S3, ...change }) } as unknown as Context),
  )
}
const backups = (backupTo: string, change: Partial<typeof S3> = {}) =>
  testBackupPlace({ backupTo, s3: { ...S3, ...change } }).then((fault) => fault?.en)

const server = (replies: Record<string, string> = {}) => mailServer({ after }, replies).then(({ url }) => url)
const withPassword = (url: string) => url.replace('//', '//kith:wrong@')

type Row = { wrong: string; seen: string; sentence: string | undefined }

const atStart = (env: Record<string, string>) => async (): Promise<Row> => ({
  wrong: Object.entries(env)
    .filter(([name]) => !Object.hasOwn(S3_ENV, name) || name === 'STORAGE')
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(', '),
  seen: 'start',
  sentence: await start(env),
})
const later =
  (wrong: string, seen: string, find: () => Promise<string | undefined>) => async (): Promise<Row> => ({
    wrong,
    seen,
    sentence: await find(),
  })

const PROBE = 'doctor, health, test button'
const CHECKED = 'doctor, health'
const PLACE = 'start, test button'

const CASES: (() => Promise<Row>)[] = [
  atStart({ PUBLIC_URL: 'kith.example' }),
  atStart({ PUBLIC_URL: 'https://kith.example/social' }),
  atStart({ PUBLIC_URL: 'https://me:secret@kith.example' }),
  atStart({ PORT: 'eighty' }),
  atStart({ DATABASE_URL: 'mysql://kith@db/kith' }),
  atStart({ DATABASE_URL: 'postgres://kith:a#b@db/kith' }),
  atStart({ DATABASE_URL: 'postgres://kith@one,two/kith' }),
  atStart({ DATABASE_DIRECT_URL: 'postgres://kith@db/kith' }),
  atStart(S3_ENV),
  atStart({ BACKUP_TO: 'ftp://nas/kith' }),
  atStart({ BACKUP_AT: 'daily' }),
  atStart({ TRUST_PROXY: 'true' }),
  atStart({ CORS_ORIGINS: 'https://app.example/' }),
  atStart({ SMTP_URI: 'smtp://mail.example' }),
  atStart({ IM_PROVIDER: 'jabber' }),
  atStart({ APP_SECRET: 'short' }),
  atStart({ APP_SECRET_FILE: '/dev/null' }),
  later('`SMTP_URL`: the host does not exist', PROBE, mail('smtp://mail.invalid')),
  later('`SMTP_URL`: the port is closed', PROBE, mail(`smtp://127.0.0.1:${closed}`)),
  later('`SMTP_URL`: `smtps` at a port without encryption', PROBE, async () =>
    mail((await server()).replace('smtp:', 'smtps:'))(),
  ),
  later('`SMTP_URL`: the password is wrong', PROBE, async () =>
    mail(withPassword(await server({ AUTH: '535 5.7.8 no' })))(),
  ),
  later('`MAIL_FROM`: an address of another account', 'test button, log', async () =>
    mail(await server({ MAIL: '553 5.7.1 not yours' }))(),
  ),
  later('`S3_BUCKET`: no such bucket', CHECKED, uploads({ bucket: 'none' })),
  later('`S3_ENDPOINT`: the port is closed', CHECKED, uploads(CLOSED)),
  later('`S3_ACCESS_KEY_ID`: the key is wrong', CHECKED, uploads({ accessKeyId: 'wrong' })),
  later('`BACKUP_TO=s3://none/kith`: no such bucket', PLACE, () => backups('s3://none/kith')),
  later('`BACKUP_TO=s3://kith/backups`: the endpoint is closed', PLACE, () =>
    backups('s3://kith/backups', CLOSED),
  ),
  later('`BACKUP_TO=s3://kith/backups`: the key is wrong', PLACE, () =>
    backups('s3://kith/backups', { accessKeyId: 'wrong' }),
  ),
  later('`BACKUP_TO`: a file', PLACE, async () => (await backups(file))?.replace(file, '/srv/file')),
]

test('describes every wrong configuration with the sentence that an operator sees', async () => {
  const rows = await Promise.all(CASES.map((find) => find()))
  for (const { wrong, sentence } of rows) {
    assert.ok(sentence, `${wrong} is accepted`)
    assert.doesNotMatch(sentence, /\bsecret\b@|:wrong@/, wrong)
  }
  assert.ok(rows.length >= 25)
  const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
  const table = [
    '| Wrong | Seen by | Sentence |',
    '|---|---|---|',
    ...rows.map(({ wrong, seen, sentence }) => `| ${cell(wrong)} | ${seen} | ${cell(String(sentence))} |`),
    '',
  ].join('\n')
  const page = await readFile(PAGE, 'utf8')
  const [head = '', rest = ''] = page.split(BEGIN)
  const [stored, tail = ''] = rest.split(END)
  if (process.env.KITH_WRITE_TROUBLESHOOTING)
    await writeFile(PAGE, `${head}${BEGIN}\n${table}\n${END}${tail}`)
  else assert.equal(stored?.trim(), table.trim(), 'run this test with KITH_WRITE_TROUBLESHOOTING=1')
})
