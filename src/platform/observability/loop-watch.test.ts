import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createWorld } from '#test/world.ts'
import { watchLoop } from './loop-watch.ts'

test('logs and measures a blocked event loop with the route that ran', async (t) => {
  const { ctx, guest } = await createWorld(
    {},
    {
      routes: (server) =>
        void server.get('/block', { config: { access: 'optional' as const } }, async () => {
          await pause(150)
          for (const end = performance.now() + 1_300; performance.now() < end; );
          await pause(150)
        }),
    },
  )
  const lines: { routes: string[]; ms: number; cpuMs: number }[] = []
  t.mock.method(ctx.log, 'warn', (line: (typeof lines)[number]) => void lines.push(line))
  const watch = watchLoop(ctx.metrics, ctx.log)
  assert.equal((await guest('GET', '/test/block')).status, 200)
  watch.close()
  const found = lines.find(({ routes }) => routes.includes('/api/v2/test/block'))
  assert.ok(found && found.ms >= 1_000 && found.cpuMs > 0, JSON.stringify(lines))
  assert.match(await ctx.metrics.render(), /^event_loop_blocked_total [1-9]/m)
  assert.match(await ctx.metrics.render(), /^event_loop_delay_seconds \d/m)
  assert.deepEqual(ctx.metrics.routesInFlight(), [])
})
