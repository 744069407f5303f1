import type { Probe } from '#contracts/health-check.ts'
import type { Context } from '#platform/context.ts'
import type { Sql } from '#platform/database'
import { HealthFault } from '#platform/health'

/** Number of requests within an hour, below which a stray link or a forged header could be the reason. */
const ENOUGH = 10

type Hour = {
  own: number
  other: number
  origin: string | null
  proxied: number
  proxy: string | null
}

async function readHour(sql: Sql): Promise<Hour> {
  const [row] = await sql<[Hour]>`
    select coalesce(sum(own_address), 0)::int as own, coalesce(sum(other_address), 0)::int as other,
      (array_agg(other_origin order by at desc) filter (where other_origin is not null))[1] as origin,
      coalesce(sum(untrusted_proxy), 0)::int as proxied,
      (array_agg(proxy order by at desc) filter (where proxy is not null))[1] as proxy
    from request_minutes where at > now() - interval '1 hour'`
  return row
}

/** Compares PUBLIC_URL with the address that browsers showed within the last hour. */
export const browserProbe: Probe = {
  part: 'browsers',
  isSilent: true,
  settings: 'PUBLIC_URL',
  isUsed: ({ config }) => config.web || config.console,
  async check({ sql, config }: Context) {
    const { own, other, origin } = await readHour(sql)
    if (origin !== null && other >= ENOUGH && other > own)
      throw new HealthFault('address_other', { origin, expected: config.publicUrl })
  },
}

/** Finds a proxy in front of the server that TRUST_PROXY does not list. */
export const proxyProbe: Probe = {
  part: 'proxy',
  isSilent: true,
  settings: 'TRUST_PROXY',
  isUsed: ({ config }) => config.web || config.console,
  async check({ sql }: Context) {
    const { own, other, proxied, proxy } = await readHour(sql)
    if (proxy !== null && proxied >= ENOUGH && proxied * 2 > own + other)
      throw new HealthFault('proxy_untrusted', { proxy })
  },
}
