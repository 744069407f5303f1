import type { AddressInfo } from 'node:net'
import { createWorld, type World } from '#test/world.ts'

/** A world that listens, and its address: the client library speaks to it as to any server. */
export async function createRunningWorld(env: Record<string, string> = {}): Promise<World & { url: string }> {
  const world = await createWorld(env)
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  // Addresses of uploads and of the bytes of files begin with it.
  world.ctx.config.publicUrl = `http://127.0.0.1:${port}`
  return { ...world, url: world.ctx.config.publicUrl }
}
