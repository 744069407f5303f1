import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fastify } from 'fastify'
import type { Server } from '#platform/http'
import { buildSite } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'
import { addConsole } from '../src/pages/console.ts'
import { banner } from '../src/startup/banner.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
await buildSite()
const { app, ctx, guest } = await createWorld({ WEB: 'on' })

test('names one version in every package, the API description and its examples, and the images of Kubernetes', () => {
  const manifests = globSync(['{.,sdk,web,console,site}/package{,-lock}.json'])
  assert.equal(manifests.length, 10)
  for (const path of manifests) assert.equal(JSON.parse(readFileSync(path, 'utf8')).version, version, path)
  assert.equal(JSON.parse(readFileSync('openapi.json', 'utf8')).info.version, version)
  const examples = readFileSync('src/platform/http/api-page/examples.json', 'utf8')
  for (const [, told] of examples.matchAll(/"server:version":"([^"]*)"/g)) assert.equal(told, version)
  assert.match(
    readFileSync('deploy/kubernetes/kustomization.yaml', 'utf8'),
    new RegExp(`newTag: ${RegExp.escape(version)}$`, 'm'),
  )
})

test('names the version in banner, command line, health, API, site and console', async () => {
  assert.match(banner(ctx, undefined), new RegExp(`^Kith ${RegExp.escape(version)} is running`, 'm'))
  const told = spawnSync(process.execPath, ['src/cli.ts', '--version'], { encoding: 'utf8' })
  assert.equal(told.stdout, `Kith ${version}\n`)
  const health = await app.inject('/health')
  assert.deepEqual([health.statusCode, health.json()], [200, { status: 'ok', version }])
  assert.equal((await guest('GET', '/bootstrappers')).body['server:version'], version)
  const page = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  assert.ok(page.body.includes(`Powered by Kith ${version}`))
  const pages = fastify() as unknown as Server
  addConsole(pages, { console: true }, async () => ({ name: 'Riverside' }), 'console')
  const head = (await pages.inject('/admin')).body
  assert.match(head, new RegExp(`<meta name="version" content="${RegExp.escape(version)}" />`))
  await pages.close()
})
