import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { SITE } from '../src/site.ts'

const world = await createWorld()
const { as, guest, person, sql, work } = world
const founder = await person({ roles: ['founder', 'owner'] })
/** Builds the path at run time, because tsc checks this folder without the DOM types that the console needs. */
const importConsole = (path: string): Promise<unknown> =>
  import(new URL(`../console/src/${path}`, import.meta.url).href)
type Pair = readonly [string, string]
type Texts = { label: Pair; help: Pair; choices?: Record<string, Pair> }
const textsOf = (name: string): Texts =>
  (SITE.settings[name] as unknown as { schema: { 'x-texts': Texts } }).schema['x-texts']
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'virtual:settings'
      ? {
          url: `data:text/javascript,export const SETTINGS = ${encodeURIComponent(JSON.stringify(Object.fromEntries(Object.entries(SITE.settings).map(([name, { schema }]) => [name, schema]))))}`,
          shortCircuit: true,
        }
      : next(specifier, context),
})
const source = globSync('console/src/**/*.{ts,tsx}')
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

test('sets no HTML in the console', () => {
  assert.doesNotMatch(
    source,
    /innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|DOMParser|document\.write|createElement\('template'\)/i,
  )
})

test('names only existing console labels in docs/operating.md', () => {
  const paragraphs = readFileSync('docs/operating.md', 'utf8').split('\n\n')
  const labels = paragraphs
    .filter((paragraph) => /in the console/i.test(paragraph) && !paragraph.startsWith('```'))
    .flatMap((paragraph) => [...paragraph.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label))
  assert.ok(labels.length > 20, `saw only ${labels.length}`)
  const settings = new Set(Object.keys(SITE.settings).map((name) => textsOf(name).label[0]))
  assert.deepEqual(
    labels.filter((label) => !source.includes(`['${label}', '`) && !settings.has(label)),
    [],
  )
})

test('describes active users as distinct users in the statistics of the console', async () => {
  type Series = { name: string; values: (number | null)[]; total: number | null }
  const { LABELS, tellTotal } = (await import(
    new URL('../console/src/home/series.ts', import.meta.url).href
  )) as {
    LABELS: Record<string, readonly [string, string]>
    tellTotal(series: Series, locale: string): readonly [string, string]
  }
  const { body } = await as(founder, 'GET', '/admin/statistics/days')
  const names = (body.series as Series[]).map(({ name }) => name)
  assert.deepEqual(
    Object.keys(LABELS).filter((name) => !names.includes(name)),
    [],
  )
  const [english, chinese] = LABELS['active-people'] ?? assert.fail('active people have no label')
  assert.match(english, /\b(different|distinct)\b/i)
  assert.match(chinese, /去重/)
  const active = { name: 'active-people', values: [2, null, 2] }
  assert.deepEqual(tellTotal({ ...active, total: 3 }, 'en'), ['3', '3'])
  assert.deepEqual(tellTotal({ ...active, total: null }, 'en'), ['2 a day', '日均 2'])
})

test('previews a sanction in the words that the sanctioned user will read', async () => {
  const { previewOf } = (await import(
    new URL('../console/src/pages/person/sanction-texts.ts', import.meta.url).href
  )) as {
    previewOf(kind: string, reason: string, hours: number | null): { told: readonly [string, string] }
  }
  const untimed = (text: string) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'TIME')
  for (const hours of [null, 72]) {
    const preview = (kind: string) => previewOf(kind, 'Too loud', hours).told.map(untimed)
    const impose = async (kind: string) => {
      const made = await as(founder, 'POST', '/admin/users', {
        name: `${kind}${hours ?? 'ever'}`,
        password: 'a password',
        roles: ['owner'],
      })
      const { body } = await guest('POST', '/auth/login', {
        login: `${kind}${hours ?? 'ever'}`,
        password: 'a password',
      })
      const sanction = { kind, reason: 'Too loud', ...(hours && kind !== 'warning' ? { hours } : {}) }
      assert.equal(
        (await as(founder, 'POST', `/admin/users/${made.body.id}/sanctions`, sanction)).status,
        201,
      )
      return { id: made.body.id as number, name: kind, token: body.access_token as string }
    }
    const inBoth = async (
      call: (headers: Record<string, string>) => Promise<{ body: { message: unknown } }>,
    ) =>
      Promise.all(
        ['en', 'zh'].map(async (language) =>
          untimed(String([(await call({ 'accept-language': language })).body.message].flat()[0])),
        ),
      )
    await impose('suspension')
    const login = { login: `suspension${hours ?? 'ever'}`, password: 'a password' }
    assert.deepEqual(
      await inBoth((headers) => guest('POST', '/auth/login', login, headers)),
      preview('suspension'),
    )
    const silenced = await impose('silence')
    const topic = { name: 'Loud again' }
    assert.deepEqual(
      await inBoth((headers) => as(silenced, 'POST', '/feed/topics', topic, headers)),
      preview('silence'),
    )
    const warned = await impose('warning')
    const told = await as(warned, 'GET', '/user/notifications?type=system', undefined, {
      'accept-language': 'zh',
    })
    assert.match(JSON.stringify(told.body), new RegExp(preview('warning')[1] as string))
  }
})

test('distinguishes active, silenced, suspended, disabled, pending and erased users (administration-24)', async () => {
  const standingOf = async (id: number) => (await as(founder, 'GET', `/admin/users/${id}`)).body.standing
  const people = await Promise.all([person(), person(), person(), person(), person()])
  const [active, silenced, suspended, disabled, erased] = people.map(({ id }) => id) as [
    number,
    number,
    number,
    number,
    number,
  ]
  for (const [id, kind] of [
    [silenced, 'silence'],
    [suspended, 'silence'],
    [suspended, 'suspension'],
  ] as const)
    await as(founder, 'POST', `/admin/users/${id}/sanctions`, { kind, reason: 'Too loud', hours: 24 })
  await as(founder, 'PATCH', `/admin/users/${disabled}`, { disabled: true })
  await as(founder, 'POST', `/admin/users/${erased}/sanctions`, { kind: 'suspension', reason: 'Too loud' })
  await sql`insert into account_deletions (user_id, due_at) values (${erased}, now())`
  await addJob(sql, 'erase_accounts', {})
  await work()
  await as(founder, 'PATCH', '/admin/settings', { 'register:type': 'approval' })
  await signUpsOn(world).register({ name: 'newcomer', password: 'a password' })
  const [{ user_id: waiting }] = (await as(founder, 'GET', '/admin/registrations')).body.data
  const expected = { active, silenced, suspended, disabled, waiting, erased }
  for (const [standing, id] of Object.entries(expected)) {
    assert.equal(await standingOf(id), standing)
    const { data, total } = (await as(founder, 'GET', `/admin/users?standing=${standing}&limit=100`)).body
    const ids = data.map((row: { id: number }) => row.id)
    for (const [other, otherId] of Object.entries(expected))
      assert.equal(ids.includes(otherId), other === standing, `${other} among ${standing}`)
    assert.equal(total, ids.length)
  }
  assert.equal((await as(founder, 'GET', '/admin/users?standing=gone')).status, 422)
})

type Entry = Record<string, unknown>
const sentences = (await import(
  new URL('../console/src/pages/audit/sentences.ts', import.meta.url).href
)) as {
  sentenceOf(entry: Entry): readonly [string, string]
  differencesOf(entry: Entry): { name: string; before: unknown; after: unknown }[]
  SUBJECTS: Record<string, unknown>
}

test('renders each audit record as a sentence', async () => {
  const ann = await person()
  const done: [string, string, unknown][] = [
    ['POST', `/admin/users/${ann.id}/sanctions`, { kind: 'suspension', reason: 'spam', hours: 168 }],
    ['POST', `/admin/users/${ann.id}/wallet`, { amount: 15_000, reason: 'Prize' }],
    ['POST', `/admin/users/${ann.id}/wallet`, { amount: -5_050, reason: 'Mistake' }],
    ['PATCH', `/admin/users/${ann.id}`, { name: 'annrenamed' }],
    ['POST', '/admin/sensitive-words', { word: 'bad', type: 'warning' }],
    ['PATCH', '/admin/settings', { 'checkin:balance': 25 }],
  ]
  for (const [method, path, body] of done)
    assert.ok((await as(founder, method as 'POST', path, body)).status < 300, path)
  const { data } = (await as(founder, 'GET', `/admin/audit-log?limit=${done.length}`)).body
  const entries = (data as Entry[]).reverse()
  assert.deepEqual(
    entries.map((entry) => sentences.sentenceOf(entry)),
    [
      ['{a} suspended {s} for 7 days: spam', '{a} 暂停了 {s} 的账号，为期 7 天：spam'],
      ['{a} granted CN¥150.00 to {s}: Prize', '{a} 向 {s} 发放了 ¥150.00：Prize'],
      ['{a} deducted CN¥50.50 from {s}: Mistake', '{a} 扣除了 {s} 的 ¥50.50：Mistake'],
      ['{a} changed the account of {s}', '{a} 修改了账号 {s}'],
      ['{a} created {s}', '{a} 创建了{s}'],
      ['{a} changed {s}', '{a} 修改了{s}'],
    ],
  )
  assert.deepEqual(
    sentences.differencesOf(entries[3]!).find(({ name }) => name === 'name'),
    {
      name: 'name',
      before: ann.name,
      after: 'annrenamed',
    },
  )
  assert.deepEqual(sentences.differencesOf(entries[5]!), [{ name: 'checkin:balance', before: 10, after: 25 }])
})

const history = (await import(new URL('../console/src/pages/person/history.ts', import.meta.url).href)) as {
  titleOf(entry: Entry): readonly [string, string]
  detailsOf(entry: Entry): readonly [string, string]
}

test('describes actions of administrators in the history of an account', async () => {
  const ann = await person()
  const done: [string, string, unknown][] = [
    ['POST', `/admin/users/${ann.id}/wallet`, { amount: 15_000, reason: 'Prize' }],
    ['POST', `/admin/users/${ann.id}/wallet`, { amount: -5_050, reason: 'Mistake' }],
    ['PUT', `/admin/user-famous/${ann.id}`, { type: 'each' }],
    ['DELETE', `/admin/user-famous/${ann.id}`, undefined],
    ['PUT', `/admin/user-recommends/${ann.id}`, undefined],
    ['DELETE', `/admin/user-recommends/${ann.id}`, undefined],
  ]
  for (const [method, path, body] of done)
    assert.ok((await as(founder, method as 'POST', path, body)).status < 300, path)
  const { data } = (await as(founder, 'GET', `/admin/users/${ann.id}/history`)).body
  const entries = (data as Entry[]).reverse()
  assert.deepEqual(
    entries.map((entry) => history.titleOf(entry)),
    [
      ['CN¥150.00 granted by an administrator', '管理员发放 ¥150.00'],
      ['CN¥50.50 deducted by an administrator', '管理员扣除 ¥50.50'],
      ['Marked as famous by an administrator', '管理员设为名人'],
      ['Famous mark removed by an administrator', '管理员取消名人'],
      ['Recommended by an administrator', '管理员设为推荐'],
      ['Recommendation removed by an administrator', '管理员取消推荐'],
    ],
  )
  assert.deepEqual(history.detailsOf(entries[1]!), ['Mistake · balance: CN¥99.50', 'Mistake · 余额：¥99.50'])
})

test('names the fields of an audit record in words, and shows times and flags as such', async () => {
  const { fieldOfRecord } = (await importConsole('pages/audit/fields.ts')) as {
    fieldOfRecord(
      areas: readonly object[],
      subject: string,
      path: string,
      values: unknown[],
    ): { label: readonly [string, string]; as: string; choices?: { id: unknown }[] }
  }
  const { SITE_AREAS } = (await importConsole('areas/site-areas.ts')) as { SITE_AREAS: readonly object[] }
  const shown = (subject: string, path: string, ...values: unknown[]) => {
    const { label, as } = fieldOfRecord(SITE_AREAS, subject, path, values)
    return [...label, as]
  }
  assert.deepEqual(shown('sanctions', 'ends_at', null, '2027-01-31 12:00:00'), ['Ends', '结束时间', 'time'])
  assert.deepEqual(shown('users', 'disabled', false, true), ['Disabled', '已禁用', 'flag'])
  assert.deepEqual(shown('settings', 'site:contact', null, 'x'), ['Contact', '联系方式', 'text'])
  assert.deepEqual(shown('pages', 'at_sign_up', false, true), ['Agreed at sign-up', '注册时同意', 'flag'])
  assert.deepEqual(shown('app-versions', 'version_code', 1, 2).slice(0, 2), ['Version code', '内部版本号'])
  assert.ok(
    fieldOfRecord(SITE_AREAS, 'app-versions', 'type', ['ios']).choices?.some(({ id }) => id === 'ios'),
  )
  assert.deepEqual(shown('news', 'some.new_field', 1), ['some new field', 'some new field', 'text'])
})

test('shows lists and objects of an audit record in words', async () => {
  const { wordsOfParts } = (await importConsole('pages/audit/fields.ts')) as {
    wordsOfParts(value: unknown): readonly [string, string]
  }
  for (const [value, text] of [
    [[], ['none', '无']],
    [{}, ['none', '无']],
    [['2026-03-01 04:05:06'], ['2026-03-01 04:05:06 UTC', '2026-03-01 04:05:06 UTC']],
    [
      ['a', false],
      ['a, no', 'a、否'],
    ],
    [{ ends_at: null, reason: 'spam' }, ['Ends: —; Reason: spam', '结束时间：—；原因：spam']],
    [{ feature_list: [1, 2] }, ['feature list: 1, 2', 'feature list：1、2']],
  ] as const)
    assert.deepEqual(wordsOfParts(value), text)
})

test('has a console text for every subject and verb of the audit log', async () => {
  const texts = globSync('src/modules/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') }).map(
    (file) => readFileSync(file, 'utf8'),
  )
  const found = (pattern: RegExp) => [
    ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))),
  ]
  const kinds = [
    ...found(/subjectType: '([a-z_-]+)'/g),
    ...found(/mountAdminRecords\([\s\S]*?\bsubject: '([a-z_-]+)'/g),
  ]
  assert.ok(kinds.length > 25, `saw only ${kinds.length}`)
  assert.deepEqual(
    kinds.filter((kind) => !(kind in sentences.SUBJECTS)),
    [],
  )
  const actions = [
    ...found(/action: '([a-z-]+\.[a-z.-]+)'/g),
    ...found(/change\(call, [^)]*?, '([a-z-]+)'/g).map((verb) => `songs.${verb}`),
  ]
  assert.ok(actions.length > 25, `saw only ${actions.length}`)
  for (const action of actions) {
    const [sentence] = sentences.sentenceOf({ action, after: {}, before: {} })
    assert.doesNotMatch(sentence, /did "/, action)
    if (/^(users|sanctions)\./.test(action)) assert.notEqual(history.titleOf({ event: action })[0], action)
  }
})

test('has a label and help in both languages for every setting', () => {
  const names = Object.keys(SITE.settings)
  assert.ok(names.length > 60, `saw only ${names.length} settings`)
  for (const name of names) {
    const { label, help } = textsOf(name)
    for (const [english, chinese] of [label, help]) {
      assert.doesNotMatch(english, /[\p{Script=Han}`]/u, name)
      assert.match(chinese, /\p{Script=Han}/u, name)
    }
  }
})

test('has a section of the console for every setting', async () => {
  const { groupOf } = (await importConsole('pages/settings/groups.ts')) as { groupOf(name: string): string }
  assert.deepEqual(
    Object.keys(SITE.settings).filter((name) => groupOf(name) === 'other'),
    ['pay-validate-user-password'],
  )
})

test('translates every choice of a setting', () => {
  const withChoices = Object.entries(SITE.settings).flatMap(([name, { schema }]) =>
    'enum' in schema ? [[name, schema.enum as string[]] as const] : [],
  )
  assert.ok(withChoices.length > 3, `saw only ${withChoices.length}`)
  for (const [name, choices] of withChoices) {
    const texts = textsOf(name).choices ?? {}
    assert.deepEqual(Object.keys(texts).sort(), [...choices].sort(), name)
    for (const [english, chinese] of Object.values(texts)) {
      assert.match(english, /^[a-z][a-z -]+$/, name)
      assert.match(chinese, /^\p{Script=Han}+$/u, name)
    }
  }
})

test('lowercases a label within a sentence, but keeps its acronyms', async () => {
  const { inSentence } = (await importConsole('areas/area-parts.ts')) as {
    inSentence(label: string): string
  }
  for (const [label, expected] of [
    ['Feeds and comments', 'feeds and comments'],
    ['All reports', 'reports'],
    ['IP addresses', 'IP addresses'],
    ['Blocked IP addresses', 'blocked IP addresses'],
    ['All SMS messages', 'SMS messages'],
  ] as const)
    assert.equal(inSentence(label), expected)
})

test('names the modes of groups in the review queue as in the list of groups', async () => {
  type Shown = { name: string; as?: string; choices?: { id: string; name: readonly [string, string] }[] }
  const { CONTENT_QUEUES } = (await importConsole('queues/content-queues.ts')) as {
    CONTENT_QUEUES: { name: string; facts: Shown[] }[]
  }
  const { COMMUNITY_AREAS } = (await importConsole('areas/community-areas.ts')) as {
    COMMUNITY_AREAS: { name: string; columns: Shown[] }[]
  }
  const fact = CONTENT_QUEUES.find(({ name }) => name === 'group-audits')?.facts.find(
    ({ name }) => name === 'mode',
  )
  const column = COMMUNITY_AREAS.find(({ name }) => name === 'groups')?.columns.find(
    ({ name }) => name === 'mode',
  )
  assert.deepEqual(fact?.choices?.find(({ id }) => id === 'paid')?.name, ['paid', '付费'])
  assert.deepEqual(fact?.choices, column?.choices)
})

test('translates every built-in ability to Chinese', async () => {
  const { ABILITIES } = await import('#modules/abilities/seeds.ts')
  const texts = readFileSync(new URL('../console/src/areas/ability-texts.ts', import.meta.url), 'utf8')
  assert.deepEqual(
    Object.keys(ABILITIES).filter((name) => !texts.includes(`  '${name}': '`)),
    [],
  )
})

test('translates the name of every built-in role', async () => {
  const { ROLES } = await import('#modules/abilities/seeds.ts')
  const { roleText } = (await import('../console/src/areas/role-texts.ts')) as {
    roleText(name: string, shown?: string): readonly [string, string]
  }
  for (const { name, display } of ROLES) {
    const [english, chinese] = roleText(name, display)
    assert.equal(english, display)
    assert.match(chinese, /^\p{Script=Han}+$/u, name)
    assert.deepEqual(roleText(name, 'Renamed'), ['Renamed', 'Renamed'])
  }
})

test('translates every text of the console', async () => {
  const files = globSync('console/src/**/*.{ts,tsx}')
  const pair =
    /(?:\b(?:label|noun|ask|done|help|emptyNote|text|note): |t\(|Text = )\[\s*(['"`])((?:(?!\1)[\s\S])*)\1,\s*(['"`])((?:(?!\3)[\s\S])*)\3,?\s*\]/g
  const pairs = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pair)].map(([, , en, , zh]) => ({ file, en, zh })),
  )
  assert.ok(pairs.length > 500, `saw only ${pairs.length}`)
  const wrong = pairs.filter(
    ({ en = '', zh = '' }) => /\p{Script=Han}/u.test(en) || (!/\p{Script=Han}/u.test(zh) && zh !== 'Webhook'),
  )
  assert.deepEqual(
    wrong.filter(({ en }) => /[a-z]{2}/i.test(en?.replaceAll(/\$\{[^}]*\}/g, '') ?? '')),
    [],
  )
})
