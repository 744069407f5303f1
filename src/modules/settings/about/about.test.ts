import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateSettings } from '#test/settings.ts'
import { createWorld } from '#test/world.ts'

const { app, as, ctx, person, sql } = await createWorld()
const founder = await person({ roles: ['founder'] })
const open = () => app.inject({ method: 'GET', url: '/api/v2/aboutus' })
const set = async (settings: object) =>
  assert.equal((await as(founder, 'PATCH', '/admin/settings', settings)).status, 204)

test('escapes markup in the page about the site (sign-in-22)', async () => {
  const empty = await open()
  assert.deepEqual([empty.statusCode, empty.headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.match(empty.body, /This page has no content yet/)
  await set({ 'site:about-content': '**One** & all\nTwo\n\n<script>alert(1)</script>\n\n[x](javascript:y)' })
  const { body, headers } = await open()
  assert.match(body, /<p><strong>One<\/strong> &amp; all<br>Two<\/p><p>&lt;script&gt;/)
  assert.doesNotMatch(body, /<script|javascript/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
})

test('redirects the page about the site to web URLs only (sign-in-22)', async () => {
  await set({ 'site:about-url': 'https://example.com/about?a=1' })
  const answer = await open()
  assert.deepEqual([answer.statusCode, answer.headers.location], [302, 'https://example.com/about?a=1'])
  for (const url of ['javascript:alert(1)', 'no address', 'data:text/html,x']) {
    // Older versions and imports may have stored an invalid URL as `site:about-url`.
    await updateSettings(ctx, sql, { 'site:about-url': url })
    assert.equal((await open()).statusCode, 200, url)
  }
})
