import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  isEmail,
  isEmailAmong,
  isPhone,
  isPhoneCountry,
  isPhoneOf,
  isUserName,
  loginKind,
  normalizePhone,
} from './identifiers.ts'
import { displayLength } from './text.ts'

test('accepts user names with Latin letters, Chinese characters and emoji', () => {
  for (const name of [
    'root',
    '_abc',
    '小明',
    'ab中',
    'éa_1',
    '小明❤️',
    '👨‍👩‍👧',
    'a'.repeat(24),
    '中'.repeat(12),
  ]) {
    assert.ok(isUserName(name), name)
  }
})

test('rejects user names of invalid length or characters', () => {
  for (const name of [
    '',
    'abc',
    '中',
    '1abc',
    'a-bcd',
    'a bcd',
    'ab/cd',
    'ab@cd',
    'a'.repeat(25),
    '中'.repeat(13),
  ]) {
    assert.ok(!isUserName(name), name)
  }
})

test('rejects user names with invisible characters', () => {
  for (const char of [
    ...[
      '\0',
      '\n',
      '\x7f',
      '\x85',
      '\xa0',
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u2060',
      '\u202e',
      '\u2066',
      '\u3000',
    ],
    ...['\u3164', '\ufeff', '\ufe0f', '\u2800', '\ud800', '\u{e0041}'],
  ]) {
    assert.ok(!isUserName(`小明${char}小明`), JSON.stringify(char))
    assert.ok(!isUserName(`小明小明${char}`), JSON.stringify(char))
  }
  assert.ok(!isUserName('\u0301小明'))
})

test('accepts no random text that breaks the rules of user names', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-b_\u00ad\u4e00-\u4e01\u200b][a1_\u4e00\u{1f600} -]{0,25}$/u),
      (name) => {
        if (!isUserName(name)) return
        assert.doesNotMatch(name, /^[0-9]|[^\w\u0080-\u{10ffff}]|\s/u)
        assert.ok(displayLength(name) >= 2 && displayLength(name) <= 12)
      },
    ),
  )
})

test('recognizes mainland Chinese mobile numbers with and without country code', () => {
  for (const phone of [
    '13800138000',
    '8613800138000',
    '+8613800138000',
    '+86-13800138000',
    '086-13800138000',
  ]) {
    assert.ok(isPhone(phone), phone)
    assert.equal(normalizePhone(phone), '13800138000')
  }
  for (const text of [
    '12800138000',
    '1380013800',
    '138001380001',
    '+0086-13800138000',
    '13800138000\n',
    '-13800138000',
  ]) {
    assert.ok(!isPhone(text), text)
  }
})

test('recognizes foreign numbers by their country code (registration-4)', () => {
  for (const [given, kept] of [
    ['+14155552671', '+14155552671'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['+44 20 7183 8750', '+442071838750'],
    ['+852 5123 4567', '+85251234567'],
  ] as const) {
    assert.ok(isPhone(given), given)
    assert.equal(normalizePhone(given), kept)
    assert.equal(normalizePhone(kept), kept)
    assert.deepEqual(loginKind(given), { kind: 'phone', value: kept })
  }
  for (const text of [
    '+861012345678',
    '4155552671',
    '0014155552671',
    '+1234',
    '+999123456789',
    '+',
    '+1 415 555 26a1',
  ])
    assert.ok(!isPhone(text), text)
  for (const given of ['+86 138-0013-8000', '138 0013 8000', '138-0013-8000'])
    assert.deepEqual(loginKind(given), { kind: 'phone', value: '13800138000' })
  assert.deepEqual(loginKind('4155552671'), { kind: 'id', value: 4155552671 })
  assert.ok(isPhoneOf('13800138000', ['CN']) && !isPhoneOf('13800138000', ['US', 'HK']))
  assert.ok(isPhoneOf('+14155552671', ['US']) && !isPhoneOf('+14155552671', ['CN']))
  assert.ok(isPhoneOf('+16135550123', ['CA']) && !isPhoneOf('+16135550123', ['US']))
  assert.ok(isPhoneOf('+14155552671', ['*']) && isPhoneOf('13800138000', ['*']))
  assert.ok(isPhoneCountry('DE') && !isPhoneCountry('ZZ') && !isPhoneCountry('de'))
})

test('matches an email address with an entry for its domain or a parent domain (registration-3)', () => {
  const entries = ['Bad.example', 'eve@good.example']
  for (const email of ['a@bad.example', 'A@x.BAD.example', 'Eve@Good.example'])
    assert.ok(isEmailAmong(email, entries), email)
  for (const email of ['a@notbad.example', 'adam@good.example', 'a@bad.example.org', 'a@example'])
    assert.ok(!isEmailAmong(email, entries), email)
})

test('recognizes email addresses', () => {
  for (const mail of [
    'a@b.co',
    'first.last+tag@mail.example.com',
    "o'neil@x-y.org",
    'a@xn--fiqs8s.xn--p1ai',
  ]) {
    assert.ok(isEmail(mail), mail)
  }
  for (const text of [
    ...[
      '',
      'a',
      '@b.co',
      'a@b',
      'a@b.',
      'a@.co',
      'a..b@c.de',
      '.a@c.de',
      'a.@c.de',
      'a b@c.de',
      'a@b.c1.2',
      'a@-b.co',
    ],
    ...['a@b_c.de', 'a@b.co\n', 'a@b@c.de', `${'a'.repeat(65)}@b.co`, `a@${'b.'.repeat(70)}co`],
  ]) {
    assert.ok(!isEmail(text), text)
  }
})

test('classifies a login as email address, phone number, name or id in this order', () => {
  assert.deepEqual(loginKind(' Ann@Example.com '), { kind: 'email', value: 'ann@example.com' })
  assert.deepEqual(loginKind('+86-13800138000'), { kind: 'phone', value: '13800138000' })
  assert.deepEqual(loginKind('Ann_1'), { kind: 'name', value: 'Ann_1' })
  assert.deepEqual(loginKind('42'), { kind: 'id', value: 42 })
  assert.deepEqual(loginKind('0'), { kind: 'name', value: '0' })
  assert.deepEqual(loginKind('99999999999999999999'), { kind: 'name', value: '99999999999999999999' })
  assert.deepEqual(loginKind('?'), { kind: 'name', value: '?' })
})
