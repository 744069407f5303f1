import assert from 'node:assert/strict'
import { readSettings, type Settings, updateSettings } from '#test/settings.ts'
import type { Answer, World } from '#test/world.ts'

let counter = 0

export function fresh() {
  counter += 1
  return {
    name: `reg_${counter}`,
    email: `Reg.${counter}@Example.com`,
    phone: `138${String(counter).padStart(8, '0')}`,
  }
}

export function signUpsOn({ guest, outbox, sql, work }: World) {
  let working = Promise.resolve()
  /** Runs jobs one after another, because a parallel run could end before the code is sent. */
  const workInTurn = () => {
    working = working.then(work)
    return working
  }
  const lastCode = (to: string) => outbox.findLast((sent) => sent.to === to)?.code as string

  async function codeFor(to: string, path: '/verifycodes' | '/verifycodes/register' = '/verifycodes') {
    await sql`update verification_codes set created_at = created_at - interval '1 minute'`
    const target = to.includes('@') ? { email: to } : { phone: to }
    const asked = await guest('POST', path, target)
    assert.equal(asked.status, 202, JSON.stringify(asked.body))
    await workInTurn()
    return lastCode(to)
  }

  async function register(fields: Record<string, unknown> = {}): Promise<Answer> {
    const { name, email } = fresh()
    const to = String(fields.phone ?? fields.email ?? email)
    const code = fields.verifiable_code ?? (await codeFor(to, '/verifycodes/register'))
    return guest('POST', '/users', {
      name,
      verifiable_type: to.includes('@') ? 'mail' : 'sms',
      verifiable_code: code,
      ...(to.includes('@') ? { email: to } : { phone: to }),
      ...fields,
    })
  }

  async function signUp(fields: { phone?: string; password?: string | null } = {}) {
    const given = fresh()
    const password = fields.password === undefined ? 'correct horse' : fields.password
    const account = fields.phone === undefined ? { email: given.email } : { phone: fields.phone }
    const answer = await register({
      name: given.name,
      ...account,
      ...(password === null ? {} : { password }),
    })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    const token = answer.body.token as string
    const [row] = await sql<[{ id: number }]>`select id from users where name = ${given.name}`
    return { id: row.id, name: given.name, token, password: password ?? '', ...account }
  }

  const signIn = (login: string, fields: Record<string, unknown>) =>
    guest('POST', '/auth/login', { login, ...fields })
  return { lastCode, codeFor, register, signUp, signIn }
}

export const settingsOn =
  ({ ctx, sql }: Pick<World, 'ctx' | 'sql'>) =>
  async (changes: Partial<Settings>, work: () => Promise<unknown>): Promise<void> => {
    const put = async (values: Partial<Settings>) => {
      await updateSettings(ctx, sql, values)
    }
    const before = await readSettings(ctx)
    await put(changes)
    try {
      await work()
    } finally {
      await put(
        Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof Settings]])),
      )
    }
  }

export const refusalOf = ({ status, headers }: Answer) => [status, headers['x-error-code']]

export function fieldError(answer: Answer, field: string): string {
  assert.equal(answer.status, 422, JSON.stringify(answer.body))
  assert.deepEqual(Object.keys(answer.body.errors ?? {}), [field], JSON.stringify(answer.body))
  return answer.body.errors[field][0]
}
