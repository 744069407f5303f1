import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName, deviceOf } from './device-name.ts'

test('names the browser and system of a user agent', () => {
  const cases: [string, string][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/116.0 Mobile Safari/537.36 MicroMessenger/8.0',
      'WeChat on Android',
    ],
    ['okhttp/4.12.0', 'Android app'],
    ['Kith/2 CFNetwork/1490 Darwin/23.0', 'iOS app on macOS'],
    ['', 'unknown device'],
    ['Your account is locked, call +49 170 1234567 or open http://evil.example', 'unknown device'],
  ]
  for (const [userAgent, name] of cases) assert.equal(deviceName(deviceOf(userAgent)).en, name, userAgent)
})

test('quotes no text from the user agent', () => {
  const name = deviceName(deviceOf('Firefox/1 <a href="http://evil.example">Windows, call 110</a>'))
  assert.deepEqual(name, { en: 'Firefox on Windows', zh: 'Windows 上的 Firefox' })
})
