/** A machine of a database address. */
export type Host = { host: string; port: number }

const ADDRESS = /^(postgres(?:ql)?:\/\/)([^/@?]*@)?([^/?]*)([^?]*)(?:\?(.*))?$/

function partsOf(url: string) {
  const [, scheme = '', login = '', hosts = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  parameters.delete('target_session_attrs')
  return { scheme, login, hosts: hosts.split(','), path, query: parameters.toString() }
}

/** Lists the machines of `postgres://user@one:5432,two:5432/name` in order. */
export function hostsOf(url: string): Host[] {
  return partsOf(url).hosts.map((each) => {
    const [, host = '', port = '5432'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(each) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
}

/** Returns the address once for each machine. */
export function hostUrls(url: string): string[] {
  const { scheme, login, hosts, path, query } = partsOf(url)
  return hosts.map((host) => `${scheme}${login}${host}${path}${query === '' ? '' : `?${query}`}`)
}

/** Returns the address with one of its machines first. */
export function withPreferredHost(url: string, at: number): string {
  const { scheme, login, hosts, path, query } = partsOf(url)
  const inOrder = [...hosts.slice(at), ...hosts.slice(0, at)]
  return `${scheme}${login}${inOrder.join(',')}${path}${query === '' ? '' : `?${query}`}`
}

/** The machine of several that is taken for the primary. */
export type HostChoice = {
  /** Number of the machine for new connections. */
  at(): number
  current(): Host
  /** Moves on from a machine that is down or read-only, unless another is in use already. */
  leave(at: number): void
}

/** Creates one choice for all connections of a pool. Reports each change to `onChange`. */
export function chooseHost(hosts: Host[], onChange: (host: Host) => void = () => {}): HostChoice {
  let at = 0
  return {
    at: () => at,
    current: () => hosts[at] as Host,
    leave(from) {
      if (from !== at || hosts.length === 1) return
      at = (at + 1) % hosts.length
      onChange(hosts[at] as Host)
    },
  }
}

/**
 * Returns whether an error means that no writable machine was reached, as opposed to an error of the
 * statement.
 */
export function isUnfitHost(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return (
    typeof code === 'string' &&
    /^(ECONNREFUSED|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|CONNECT_TIMEOUT|57P03|25006)/.test(code)
  )
}
