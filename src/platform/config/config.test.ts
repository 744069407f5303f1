import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseProcesses, readConfig } from './config.ts'

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    const [first = '', ...more] = (error as Error).message.split('\n')
    return more.length === 0 ? [first] : more.map((line) => line.replace(/^ {2}- /, ''))
  }
}

test('uses defaults for unset variables', () => {
  const { host, port, publicUrl, databaseUrl, databaseReplicaUrls, smtpUrl, storage, corsOrigins } =
    readConfig({})
  assert.deepEqual(
    { host, port, publicUrl, databaseUrl, databaseReplicaUrls, smtpUrl, storage, corsOrigins },
    {
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      databaseUrl: undefined,
      databaseReplicaUrls: [],
      smtpUrl: undefined,
      storage: 'local',
      corsOrigins: ['*'],
    },
  )
})

test('reads settings from environment variables', () => {
  const databases = 'postgres://kith@one.example:5433/kith'
  const config = readConfig({
    PORT: ' 65535 ',
    PUBLIC_URL: 'https://kith.example/',
    DATABASE_URL: databases,
    DATABASE_REPLICA_URLS: 'postgres://a@b/c, postgresql://d@e/f',
    LOG_LEVEL: 'warn',
    CORS_ORIGINS: 'https://a.example:8443, capacitor://localhost, http://[::1]:3000',
    TRUST_PROXY: 'loopback, 10.0.0.1, 10.0.0.0/8, 10.0.0.0/255.0.0.0, ::1, fd00::/8',
  })
  assert.equal(config.port, 65535)
  assert.equal(config.publicUrl, 'https://kith.example')
  assert.equal(config.databaseUrl, databases)
  assert.deepEqual(config.databaseReplicaUrls, ['postgres://a@b/c', 'postgresql://d@e/f'])
  assert.equal(config.logLevel, 'warn')
  assert.deepEqual(config.corsOrigins, [
    'https://a.example:8443',
    'capacitor://localhost',
    'http://[::1]:3000',
  ])
})

test('rejects likely mistakes', () => {
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }
  for (const [env, fault] of [
    [{ SITE_NAME: '"Riverside"' }, /^SITE_NAME is in quotes/],
    [{ DATA_DIR: "'/srv/kith'" }, /^DATA_DIR is in quotes/],
    [{ DATA_DIR: '~/kith' }, /^DATA_DIR begins with ~/],
    [{ BACKUP_TO: '~/backups' }, /^BACKUP_TO begins with ~/],
    [{ DATA_DIR: '/srv/kith', BACKUP_TO: '/srv/kith/uploads' }, /^BACKUP_TO is in uploads of DATA_DIR/],
    [{ DATA_DIR: '/srv/kith', BACKUP_TO: '/srv/kith/postgres/old' }, /^BACKUP_TO is in postgres of DATA_DIR/],
    [
      { BACKUP_TO: 's3://kith/backups', ...keys, S3_ACCESS_KEY_ID: '' },
      /^S3_ACCESS_KEY_ID is required when BACKUP/,
    ],
    [{ PUBLIC_WEB_URL: 'https://app.example/{typ}/{id}' }, /^PUBLIC_WEB_URL has \{typ\}/],
    [{ PUBLIC_URL: 'https://0.0.0.0:8080' }, /^PUBLIC_URL names 0\.0\.0\.0/],
    [{ PUBLIC_URL: 'http://[::]:8080' }, /^PUBLIC_URL names \[::\]/],
    [{ PORT: '9464', METRICS_PORT: '9464' }, /^METRICS_PORT is the same as PORT/],
    [{ STORAGE: 's3', S3_BUCKET: 's3://kith', ...keys }, /^S3_BUCKET must be the name/],
    [{ PUBLIC_URL: 'https://a.example:80' }, /^PUBLIC_URL has port 80, which belongs to http:/],
    [{ PUBLIC_URL: 'http://a.example:443' }, /^PUBLIC_URL has port 443, which belongs to https:/],
    [{ SMTP_URL: 'smtp://user@mail.example' }, /^SMTP_URL has a user without a password/],
    [{ REDIS_URL: 'redis://redis.example/kith' }, /^REDIS_URL ends with a name/],
    [{ S3_BUCKET: 'kith', ...keys }, /^S3_BUCKET is set without STORAGE/],
    [{ IM_EJABBERD_URL: 'http://chat.example:5280/api' }, /^IM_EJABBERD_URL is set without IM_PROVIDER/],
    [{ IM_EASEMOB_APP_KEY: 'a#b' }, /^IM_EASEMOB_APP_KEY is set without IM_PROVIDER/],
    [{ PUSH_SECRET: 'a secret of the tests' }, /^PUSH_SECRET requires PUSH_URL/],
    [
      { public_url: 'https://social.example.org' },
      /^public_url is not a setting: did you mean PUBLIC_URL\?$/,
    ],
  ] as [Record<string, string>, RegExp][]) {
    const [told = '', ...more] = faultsOf(env)
    assert.match(told, fault)
    assert.deepEqual(more, [])
  }
  for (const env of [
    { SITE_NAME: '"Riverside" and more', APP_SECRET: '"a secret of the tests"' },
    { DATA_DIR: '/srv/kith', BACKUP_TO: '/srv/kith/backups' },
    { DATA_DIR: '/srv/kith', BACKUP_TO: '/srv/uploads' },
    { BACKUP_TO: 's3://kith/backups', ...keys },
    { PUBLIC_URL: 'https://a.example:8443', SMTP_URL: 'smtp://user:pass@mail.example' },
    {
      REDIS_URL: 'redis://:secret@redis.example:6379/2',
      PUSH_URL: 'https://push.example',
      PUSH_SECRET: 'a secret',
    },
    { STORAGE: 'local', S3_BUCKET: 'kith', IM_PROVIDER: 'embedded', IM_EJABBERD_HOST: 'chat.example' },
    { BACKUP_TO: 's3://kith/backups', S3_BUCKET: 'kith', ...keys },
    { PUBLIC_WEB_URL: 'https://app.example/{type}/{id}', host: 'a', http_proxy: 'http://proxy' },
  ] as Record<string, string>[])
    assert.deepEqual(faultsOf(env), [], JSON.stringify(env))
})

test('rejects senders, names, schedules and hosts that fail only later', () => {
  const sender =
    'MAIL_FROM must be one address, such as noreply@example.org or "Riverside <noreply@example.org>"'
  const crontab = 'such as "30 3 * * *"'
  for (const [env, fault] of [
    [{ MAIL_FROM: 'Riverside noreply' }, `${sender}, not "Riverside noreply".`],
    [{ MAIL_FROM: 'a@b.example, c@d.example' }, `${sender}, not "a@b.example, c@d.example".`],
    [{ SITE_NAME: 'x'.repeat(41) }, 'SITE_NAME must be one line of at most 40 characters.'],
    [{ SITE_NAME: 'River\nside' }, 'SITE_NAME must be one line of at most 40 characters.'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL names no host: write the host of the service after //.'],
    [{ REDIS_URL: 'redis://' }, 'REDIS_URL names no host: write the host of the service after //.'],
    [{ BACKUP_AT: 'daily' }, `BACKUP_AT must be five fields of a crontab line, ${crontab}, not "daily".`],
    [
      { BACKUP_AT: '99 3 * * *' },
      `BACKUP_AT has "99" as its minute: write numbers from 0 to 59, ${crontab}.`,
    ],
    [{ BACKUP_AT: '0 3 */0 * *' }, `BACKUP_AT has "*/0" as its day: write numbers from 1 to 31, ${crontab}.`],
    [
      { BACKUP_AT: '0 5-3 * * *' },
      `BACKUP_AT has "5-3" as its hour: write numbers from 0 to 23, ${crontab}.`,
    ],
    [
      { BACKUP_AT: '0 0 30 2 *' },
      'BACKUP_AT names a day that no month has, "0 0 30 2 *": write for example "30 3 * * *".',
    ],
  ] as [Record<string, string>, string][])
    assert.deepEqual(faultsOf(env), [fault])
  for (const env of [
    { MAIL_FROM: '"River, \\"Side\\"" <noreply@social.example>' },
    { MAIL_FROM: ' <noreply@localhost> ' },
    { BACKUP_AT: '*/15 1-4,22 29 2 *' },
    { BACKUP_AT: '0 0 31 2 7' },
    { SITE_NAME: 'x'.repeat(40) },
    { SMTP_URL: 'smtp://[::1]:25', REDIS_URL: 'redis://localhost' },
  ])
    assert.deepEqual(faultsOf(env), [], JSON.stringify(env))
})

test('reports all invalid settings at once', () => {
  for (const [name, values] of Object.entries({
    PORT: ['eighty', '-1', '65536', '1.5'],
    LOG_LEVEL: ['loud'],
    PUBLIC_URL: [
      ...[
        'kith.example',
        'ftp://kith.example',
        'https://kith.example/social',
        'https://kith.example/?site=1',
      ],
      ...['https://kith.example/#top', 'https://me:secret@kith.example'],
    ],
    DATABASE_URL: ['mysql://a@b/c', 'postgres://kith:a#b@c/d'],
    TRUST_PROXY: ['true', '10.0.0.0/8/8', '10.0.0.0/33', '10.0.0.0/255.0.255.0', '::1/129', '10.0.0.0/x'],
    CORS_ORIGINS: ['example.org', 'https://example.org/', 'https://someone@example.org'],
  }))
    for (const value of values) {
      const [told = '', ...more] = faultsOf({ [name]: value })
      assert.ok(told.startsWith(`${name} `) && more.length === 0, `${name}=${value}: ${told} ${more}`)
    }
  assert.deepEqual(
    faultsOf({ PORT: 'eighty', LOG_LEVEL: 'loud', SMTP_URI: 'smtp://mail' }).map(
      (told) => told.split(' ')[0],
    ),
    ['PORT', 'LOG_LEVEL', 'SMTP_URI'],
  )
})

test('rejects parts of PUBLIC_URL that links cannot keep', () => {
  const at = 'https://social.example.org'
  for (const [given, fault] of [
    [`${at}/kith`, 'a path, but the site needs a host name of its own'],
    [`${at}/?a=b`, 'a query'],
    [`${at}/?`, 'a query'],
    [`${at}#top`, 'a fragment'],
    ['https://jo:secret@social.example.org', 'a user or password'],
  ] as const)
    assert.deepEqual(faultsOf({ PUBLIC_URL: given }), [`PUBLIC_URL has ${fault}: write it as ${at}.`], given)
  assert.equal(readConfig({ PUBLIC_URL: `${at}//` }).publicUrl, at)
})

test('rejects a trusted network of all addresses because of its width', () => {
  for (const network of ['0.0.0.0/0', '::/0', '10.0.0.0/0', '0.0.0.0/0.0.0.0']) {
    const [told = '', ...more] = faultsOf({ TRUST_PROXY: network })
    assert.deepEqual(more, [])
    assert.match(told, /which trusts every address/, network)
  }
})

test('names the replacement of a retired setting', () => {
  assert.deepEqual(faultsOf({ KEPT_PAGES_MB: '64' }), [
    'KEPT_PAGES_MB no longer exists: remove it; set FRAGMENTS_MB for the memory of cached responses.',
  ])
  assert.deepEqual(
    faultsOf({
      KEPT_PAGES_MB: '0',
      KEPT_PAGES_TIMED_MS: '5',
      KEPT_PAGES_COUNTS_MS: '1',
      KEPT_PAGES_COUNTS_AFTER: '1',
      KEPT_PAGES_VERIFY: 'false',
      DATABASE_REPLICA_MAX_LAG_MS: '1000',
      DATABASE_PREPARED_STATEMENTS: 'off',
    }).map((told) => /^(\w+) no longer exists: remove it/.exec(told)?.[1]),
    [
      ...['KEPT_PAGES_MB', 'KEPT_PAGES_TIMED_MS', 'KEPT_PAGES_COUNTS_MS', 'KEPT_PAGES_COUNTS_AFTER'],
      ...['KEPT_PAGES_VERIFY', 'DATABASE_REPLICA_MAX_LAG_MS', 'DATABASE_PREPARED_STATEMENTS'],
    ],
  )
  assert.deepEqual(faultsOf({ KEPT_PAGES_MB: '' }), [])
})

test('rejects a database URL with several hosts', () => {
  const several = 'postgres://kith:a,b@one:5432,two:5432/kith?target_session_attrs=primary'
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URLS']) {
    const [told = '', ...more] = faultsOf({ DATABASE_URL: 'postgres://one/kith', [name]: several })
    assert.deepEqual(more, [])
    assert.match(told, new RegExp(`^${name} names several hosts: name one proxy .*deploy/patroni`))
    assert.ok(!told.includes('a,b'))
  }
  // Earlier versions required this parameter, so it stays valid with a single host.
  const one = 'postgres://kith:a,b@one:5432/kith?target_session_attrs=primary'
  assert.deepEqual(faultsOf({ DATABASE_URL: one }), [])
})

test('suggests the correct name for a misspelled setting', () => {
  assert.deepEqual(faultsOf({ LINKED_PROVIDER: 'company' }), [
    'LINKED_PROVIDER is not a setting: did you mean LINKED_PROVIDERS?',
  ])
  assert.deepEqual(faultsOf({ HOMEE: 'x', EDITOR: 'vi' }), [])
})

test('validates the settings of external sign-in providers', () => {
  const company = {
    LINKED_COMPANY_CLIENT_ID: 'kith',
    LINKED_COMPANY_CLIENT_SECRET: 'a secret',
    LINKED_COMPANY_REDIRECT_URL: 'https://kith.example/back',
    LINKED_COMPANY_ISSUER: 'https://id.example.org',
  }
  assert.deepEqual(readConfig({ LINKED_PROVIDERS: 'company', ...company }).outsideProviders, {
    company: {
      type: 'oidc',
      label: 'Company',
      clientId: 'kith',
      clientSecret: 'a secret',
      redirectUrl: 'https://kith.example/back',
      scope: 'openid',
      issuer: 'https://id.example.org',
    },
  })
  const { LINKED_COMPANY_REDIRECT_URL: _, ...withoutAddress } = company
  const ownPage = readConfig({
    LINKED_PROVIDERS: 'company',
    ...withoutAddress,
    LINKED_COMPANY_LABEL: 'Our company',
  })
  assert.equal(ownPage.outsideProviders.company?.redirectUrl, undefined)
  assert.equal(ownPage.outsideProviders.company?.label, 'Our company')
  assert.deepEqual(faultsOf({ LINKED_PROVIDERS: 'company', ...withoutAddress, WEB: 'off' }), [
    'LINKED_COMPANY_REDIRECT_URL is required for the provider company.',
  ])
  assert.deepEqual(faultsOf({ LINKED_PROVIDERS: 'company, no-name', ...company }), [
    'LINKED_PROVIDERS has "no-name", which is not a name of lower-case letters, digits and _.',
  ])
})

test('chooses one process per core, or per two cores with an embedded database', () => {
  const memory = 8 * 1024 ** 3
  const choose = (hasEmbeddedDatabase: boolean) =>
    [1, 2, 3, 4, 8, 200].map((cores) => chooseProcesses({ cores, memory }, hasEmbeddedDatabase))
  assert.deepEqual(choose(true), [1, 1, 2, 2, 4, 64])
  assert.deepEqual(choose(false), [1, 2, 3, 4, 8, 64])
})

test('chooses one process when the machine has little memory', () => {
  assert.equal(chooseProcesses({ cores: 8, memory: 2 * 1024 ** 3 - 1 }, false), 1)
})
