import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

type Job = { permissions?: Record<string, string>; steps?: { uses?: string; run?: string }[]; uses?: string }
type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> }

const read = (path: string) => parse(readFileSync(path, 'utf8')) as Workflow
const WORKFLOWS = globSync('.github/workflows/*.yml').map((path) => ({ path, workflow: read(path) }))
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

test('gives a workflow no right that a job does not name', () => {
  for (const { path, workflow } of WORKFLOWS)
    assert.deepEqual(workflow.permissions, { contents: 'read' }, path)
})

test('pins the actions of jobs that may write to a commit', () => {
  let seen = 0
  for (const { path, workflow } of WORKFLOWS) {
    const jobs = Object.values(workflow.jobs)
    const writes = jobs.some(({ permissions = {} }) => Object.values(permissions).includes('write'))
    for (const { uses } of jobs.flatMap(({ steps = [] }) => steps)) {
      if (!uses || (!writes && !uses.startsWith('actions/'))) continue
      assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, path)
      seen += 1
    }
  }
  assert.ok(seen >= 10)
})

test('runs scripts that exist', () => {
  let seen = 0
  for (const { path, workflow } of WORKFLOWS)
    for (const { run = '' } of Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps)) {
      for (const [, name = ''] of run.matchAll(/npm run ([\w:]+)/g))
        assert.ok(scripts[name], `${path}: ${name}`)
      for (const [, file = ''] of run.matchAll(/node (\S+\.m?js)/g))
        assert.ok(globSync(file).length, `${path}: ${file}`)
      seen += run === '' ? 0 : 1
    }
  assert.ok(seen >= 8)
})

test('runs every group of slow tests each night and before a release', () => {
  const text = readFileSync('.github/workflows/nightly.yml', 'utf8')
  const [, list = ''] = /group: \[(.+)\]/.exec(text) ?? []
  assert.deepEqual(list.split(', '), readdirSync('test/slow').sort())
  assert.equal(read('.github/workflows/release.yml').jobs.slow?.uses, './.github/workflows/nightly.yml')
})
