import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSecrets } from '#platform/crypto.ts'
import { redactAddress, redactPath, redactText, redactUrl } from './log.ts'

test('logs only the values of harmless query parameters', () => {
  const cases: [string, string][] = [
    ['/feeds', '/feeds'],
    ['/feeds?', '/feeds?'],
    ['/feeds?limit=5&after=7', '/feeds?limit=5&after=7'],
    ['/feeds?token', '/feeds?[redacted]'],
    ['/feeds?hot', '/feeds?hot'],
    ['/feeds?c0rrect-h0rse=', '/feeds?[redacted]'],
    ['/files/7?token=abc&w=20', '/files/7?token=[redacted]&w=20'],
    ['/x?access_token=a&password=b&code=c', '/x?access_token=[redacted]&password=[redacted]&code=[redacted]'],
    [
      '/x?verifiable_code=1&phone=2&email=3',
      '/x?verifiable_code=[redacted]&phone=[redacted]&email=[redacted]',
    ],
    ['/x?signature=s', '/x?signature=[redacted]'],
    ['/x?token=a&token=b', '/x?token=[redacted]&token=[redacted]'],
    ['/x?TOKEN=a&Token=b', '/x?TOKEN=[redacted]&Token=[redacted]'],
    ['/x?token=a?b#c', '/x?token=[redacted]'],
    ['/x?token==&a=1', '/x?token=[redacted]&a=[redacted]'],
    [
      '/x?user[password]=a&phones[]=b&token%5B%5D=c',
      '/x?user[password]=[redacted]&phones[]=[redacted]&[redacted]',
    ],
    ['https://a.test/x?token=a', 'https://a.test/x?token=[redacted]'],
    ['/x#access_token=a', '/x#access_token=[redacted]'],
    ['/x?tokens=3&encode=1', '/x?tokens=[redacted]&encode=[redacted]'],
    ['/admin/users?search=13812345678&sort=-id', '/admin/users?search=[redacted]&sort=-id'],
    ['/users?q=+49%20170%201234567&limit=5', '/users?q=[redacted]&limit=5'],
    ['/users?name=jo%40mail.example', '/users?name=[redacted]'],
    [
      '/auth/linked?state=S&ticket=S&proof=S',
      '/auth/linked?state=[redacted]&ticket=[redacted]&proof=[redacted]',
    ],
    ['/x?limit=5%26token%3DS', '/x?limit=[redacted]'],
    ['/x?limit=5;token=S', '/x?limit=[redacted]'],
  ]
  for (const [url, expected] of cases) assert.equal(redactUrl(url), expected)
})

test('masks signatures in paths', () => {
  const { sign } = createSecrets('a secret of the tests, long enough')
  const path = `/text-messages/aliyun/receipts/${sign('text')}`
  for (const url of [path, `${path}?limit=5`, `https://kith.example${path}`])
    assert.doesNotMatch(redactAddress(url), /v1/, url)
  assert.equal(redactAddress(path), '/text-messages/aliyun/receipts/[redacted]')
  assert.equal(redactAddress(path.replace('v1.', '%76%31%2e')), '/text-messages/aliyun/receipts/[redacted]')
})

test('masks secrets in unusual encodings', () => {
  const urls = [
    '/x?%74oken=SECRET',
    '/x?%54%4F%4B%45%4E=SECRET',
    '/x?t%6fken=SECRET%26SECRET',
    '/x?%2574oken=SECRET',
    '/x?token%3DSECRET',
    '/x?token%3dSECRET=1',
    '/x?a=1%26token%3DSECRET',
    '/x?a=1;token=SECRET',
    '/x?a=1&+token=SECRET',
    '/x?a=1&%00token=SECRET',
    '/x?%ff&%fftoken=SECRET',
    '/x?to=https%3A%2F%2Fb.test%2F%3Faccess_token%3DSECRET',
    '/x?to=https%253A%252F%252Fb.test%253Ftoken%253DSECRET',
    '/x%3Ftoken=SECRET',
    '/x%3ftoken%3DSECRET',
    '/x?a=b#token=SECRET',
  ]
  for (const url of urls) {
    assert.doesNotMatch(redactUrl(url), /SECRET/, url)
    assert.match(redactUrl(url), /^\/x/)
  }
})

test('masks a token in any mix of case and percent encoding', () => {
  const character = fc.constantFrom(...'token').chain(() => fc.boolean())
  const name = fc
    .tuple(character, character, character, character, character)
    .map((encode) =>
      [...'token'].map((c, i) => (encode[i] ? `%${c.charCodeAt(0).toString(16)}` : c.toUpperCase())).join(''),
    )
  const neighbour = fc.stringMatching(/^[a-z0-9=%;?#+.]{0,8}$/)
  fc.assert(
    fc.property(name, neighbour, neighbour, (key, before, after) => {
      assert.ok(!redactUrl(`/x?${before}&${key}=SECRET&${after}`).includes('SECRET'))
    }),
  )
})

test('masks phone numbers and email addresses in a path', () => {
  const cases: [string, string][] = [
    ['/api/v2/users/13812345678', '/api/v2/users/[phone]'],
    ['/users/+8613812345678/followers', '/users/[phone]/followers'],
    ['/users/86-13812345678', '/users/[phone]'],
    ['/users/08613812345678', '/users/[phone]'],
    ['/users/%2B8613812345678?limit=1', '/users/[phone]?limit=1'],
    ['/users/%2b49%20170%201234567', '/users/[phone]'],
    ['/users/0049170123456', '/users/[phone]'],
    ['/users/138-1234-5678', '/users/[phone]'],
    ['/users/jo.doe+x@mail.example', '/users/[email]'],
    ['/users/jo%40mail.example/feeds', '/users/[email]/feeds'],
    ['/users/jo%2540mail.example', '/users/[email]'],
    ['/users/J%4F%40X', '/users/[email]'],
  ]
  for (const [path, expected] of cases) assert.equal(redactPath(path), expected)
})

test('does not mask ids, user names, dates and versions in a path', () => {
  for (const path of [
    '/api/v2/users/7',
    '/users/1234567890',
    '/users/9007199254740991',
    '/users/alice_in-2026',
    '/users/%E5%BC%A0%E4%B8%89',
    '/stats/2026-11-21',
    '/files/3f2a9c1e-0b7d-4b43-9f0e-2f5c6a7b8c9d',
    '/x?email=a@b.c',
    '/%',
    '/users/@all',
    '/codes/+12345',
    '/codes/123-456',
    '/codes/1234-5678-9012-3456-78',
  ]) {
    assert.equal(redactPath(path), path)
  }
})

test('masks personal data and tokens in the text of an error', () => {
  assert.equal(redactText('550 <jo.doe@mail.example> is unknown'), '550 <[email]> is unknown')
  assert.equal(redactText('nothing @ all'), 'nothing @ all')
  const cases: [string, string][] = [
    ['no answer for +86 138-1234-5678 in time', 'no answer for [phone] in time'],
    ['sent to 13812345678', 'sent to [phone]'],
    [
      'GET https://ann:pass@a.test/sms?to=1&key=K failed',
      'GET https://a.test/sms?to=[redacted]&key=[redacted] failed',
    ],
    ['with Authorization: Bearer abc.def-123', 'with Authorization: Bearer [redacted]'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['at 2026-11-23 07:48:15 in job 123456789', 'at 2026-11-23 07:48:15 in job 123456789'],
  ]
  for (const [text, expected] of cases) assert.equal(redactText(text), expected)
})

test('scans the longest accepted URL without backtracking', () => {
  const urls = ['a', '=', '&', '%', '?', '%25', '+1', '%3D', ';='].map(
    (part) => `/x?${part.repeat(16_000 / part.length)}`,
  )
  // Backtracking would exceed the test timeout.
  for (const url of urls) redactPath(redactUrl(url).replace('?', '/'))
  for (const url of urls) assert.notEqual(redactText(`${url}@`), '')
})

test('redacts a URL the same with and without the fast path', () => {
  const word = fc.constantFrom(
    ...[
      'feeds',
      'v2',
      'V2',
      'limit=15',
      'type=new',
      'id=1,2',
      'token=1',
      'a@b.c',
      '%40',
      '+8613800000000',
      '007',
    ],
    ...[
      '13800000000',
      '8613800000000',
      '1234567890',
      '0012345678',
      '138-0000-0000',
      '&',
      '?',
      '/',
      '=',
      '#',
      '%',
      '.',
    ],
  )
  const address = fc.array(fc.oneof(word, fc.string({ maxLength: 3 })), { maxLength: 12 })
  fc.assert(
    fc.property(address, fc.constantFrom('/', '', '&', '?'), (parts, between) => {
      const url = `/api/${parts.join(between)}`
      assert.equal(redactAddress(url), redactUrl(redactPath(url)))
    }),
    { numRuns: 5000 },
  )
  // Backtracking would exceed the test timeout.
  for (const part of ['/a', '/v2', '/1', '?limit=1', '&limit=1', 'limit='])
    redactAddress(`/api?limit=${part.repeat(20_000)}!`)
})
