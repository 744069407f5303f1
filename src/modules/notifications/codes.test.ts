import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SITE } from '../../site.ts'
import { RESOURCE_CODES, resourceCode } from './codes.ts'
import { ruleOf, SYSTEM_NOTICES, SYSTEM_TYPES, sentenceOf } from './system/notices.ts'

test('has a text in English and Chinese for every type of system notification (notifications-8)', () => {
  for (const type of SYSTEM_TYPES)
    for (const state of ['passed', 'rejected', undefined])
      for (const language of ['en', 'zh'] as const) {
        const text = sentenceOf(type, state, language)
        if (state === 'passed' || text !== '') assert.ok(text.length > 3, `${type} ${state}`)
      }
  const codes = [...Object.values(RESOURCE_CODES), ...SITE.kinds.map(({ code }) => code)]
  assert.equal(new Set(codes).size, codes.length)
  assert.equal(resourceCode('unheard-of'), 0)
})

test('documents every type of system notification in docs/rules (notifications-8, notifications-9)', () => {
  const text = readFileSync(new URL('../../../docs/rules/notifications.md', import.meta.url), 'utf8')
  const sectionOf = (id: string) => text.slice(text.indexOf(`### ${id}\n`)).split('\n### ', 2)[0]!
  const table = sectionOf('notifications-9').split('| System type |', 2)[1] ?? ''
  const rows = [...table.matchAll(/^\| `.*$/gm)].map(([row]) => row)
  assert.deepEqual(rows, SYSTEM_TYPES.map(ruleOf))
  const codes = [...sectionOf('notifications-8').matchAll(/\| (\d+) (?=\|)/g)].map(([, code]) => Number(code))
  const given = [...Object.values(RESOURCE_CODES), ...SITE.kinds.map(({ code }) => code)]
  assert.deepEqual(
    codes.sort((x, y) => x - y),
    given.sort((x, y) => x - y),
  )
})

/** Types that other tests cover. */
const ELSEWHERE = ['account:changed', 'account:export', 'sanction', 'group:open']

test('requires that test/notified names every sent type of system notification, except four (notifications-9)', () => {
  const text = globSync('test/notified/*.test.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join()
  const names = text.replace(/\$\{[^}]*\}/g, '*').matchAll(/['`]([a-z][a-z:/*-]*)['`]/g)
  const patterns = [...names].map(([, name = '']) => new RegExp(`^${name.replaceAll('*', '.*')}$`))
  const sent = SYSTEM_TYPES.filter((type) => !SYSTEM_NOTICES[type].when.startsWith('never'))
  const missing = sent.filter((type) => !patterns.some((pattern) => pattern.test(type)))
  assert.deepEqual(missing, ELSEWHERE)
})
