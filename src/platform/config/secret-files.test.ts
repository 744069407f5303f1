import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from './config.ts'
import { SECRETS, settingReader } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-secrets-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(content: string): string {
  const path = join(folder, `${Math.random()}`)
  writeFileSync(path, content)
  return path
}

function faultOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function namesRead(): string[] {
  const names = new Set<string>()
  const providers: Record<string, string> = { LINKED_PROVIDERS: 'company', LINKED_COMPANY_TYPE: 'oidc' }
  const env = new Proxy(providers, {
    get(given, name: string) {
      names.add(name)
      return given[name]
    },
  })
  faultOf(env)
  return [...names]
}

const NAMES = namesRead()
const SECRET_NAME =
  /SECRET|PASSWORD|PASSPHRASE|TOKENS?$|CREDENTIAL|ACCESS_KEY|^DATABASE_(\w+_)?URLS?$|^(REDIS|SMTP|SMS|PUSH)_URL$/
const secretNames = NAMES.filter(
  (name) => SECRET_NAME.test(name) && !name.endsWith('_FILE') && !name.endsWith('_ACCEPT_TOKENS'),
)

test('reads every secret setting from a file', () => {
  assert.ok(secretNames.length > 15, `found only ${secretNames}`)
  for (const name of [...secretNames, ...SECRETS]) {
    const faults: string[] = []
    const read = settingReader({ [`${name}_FILE`]: fileOf(`from a file of ${name}\n`) }, faults)
    assert.deepEqual([read(name), faults], [`from a file of ${name}`, []], name)
    assert.ok(NAMES.includes(`${name}_FILE`), `the configuration does not ask for ${name}_FILE`)
  }
})

test('removes the last newline of a secret file', () => {
  const config = readConfig({
    APP_SECRET_FILE: fileOf('sixteen letters and more\r\n'),
    DATABASE_URL_FILE: fileOf('postgres://kith:word@db/kith\n'),
    DATABASE_REPLICA_URLS_FILE: fileOf('postgres://kith:word@two/kith\n'),
    S3_SECRET_ACCESS_KEY_FILE: fileOf('key'),
    LINKED_PROVIDERS: 'company',
    LINKED_COMPANY_CLIENT_ID: 'kith',
    LINKED_COMPANY_CLIENT_SECRET_FILE: fileOf('of the company\n'),
    LINKED_COMPANY_REDIRECT_URL: 'https://kith.example/back',
    LINKED_COMPANY_ISSUER: 'https://id.example.org',
  })
  assert.equal(config.appSecret, 'sixteen letters and more')
  assert.equal(config.databaseUrl, 'postgres://kith:word@db/kith')
  assert.deepEqual(config.databaseReplicaUrls, ['postgres://kith:word@two/kith'])
  assert.equal(config.s3.secretAccessKey, 'key')
  assert.equal(config.outsideProviders.company?.clientSecret, 'of the company')
})

test('reports an unusable secret file in one sentence', () => {
  const missing = join(folder, 'missing')
  assert.equal(
    faultOf({ APP_SECRET_FILE: missing }),
    `APP_SECRET_FILE names ${missing}, which does not exist.`,
  )
  assert.equal(faultOf({ SMTP_URL_FILE: folder }), `SMTP_URL_FILE names ${folder}, which is a folder.`)
  const empty = fileOf(' \n')
  assert.equal(
    faultOf({ DATABASE_URL_FILE: empty }),
    `DATABASE_URL_FILE names ${empty}, which is empty: write the value into it, or remove DATABASE_URL_FILE.`,
  )
  assert.equal(
    faultOf({ SMS_SECRET: 'one', SMS_SECRET_FILE: fileOf('two') }),
    'SMS_SECRET and SMS_SECRET_FILE are both set: remove one of them.',
  )
})

test('does not repeat the content of a rejected secret file', () => {
  const told = faultOf({ DATABASE_URL_FILE: fileOf('mysql://kith:hidden@db/kith') })
  assert.match(told, /^DATABASE_URL must be a URL that begins with postgres/)
  assert.ok(!told.includes('hidden'))
  assert.doesNotMatch(faultOf({ APP_SECRET_FILE: fileOf('hidden') }), /hidden/)
})

test('rejects a `_FILE` variable for a setting that is no secret', () => {
  assert.equal(
    faultOf({ PUBLIC_URL_FILE: fileOf('https://kith.example') }),
    'PUBLIC_URL_FILE is not a setting: only secrets come from files, so set PUBLIC_URL.',
  )
})
