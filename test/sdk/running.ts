import type { AddressInfo } from 'node:net'
import { createWorld, type Person, type World } from '#test/world.ts'
import { type ClientOptions, createClient, memoryTokens } from '../../sdk/src/index.ts'

export async function createRunningWorld(env: Record<string, string> = {}): Promise<World & { url: string }> {
  const world = await createWorld(env)
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  world.ctx.config.publicUrl = `http://127.0.0.1:${port}`
  return { ...world, url: world.ctx.config.publicUrl }
}

export function clientOf(url: string, { token }: Person, options: ClientOptions = {}) {
  const hour = Date.now() + 3_600_000
  const asked: string[] = []
  const kith = createClient({
    url,
    tokens: memoryTokens({ token, expiresAt: hour, refreshUntil: hour }),
    retry: { baseMs: 1 },
    fetch: (input, init) => {
      asked.push((input as Request).url)
      return fetch(input, init)
    },
    ...options,
  })
  return { kith, asked }
}
