/** One of the machines that a database address names. */
export type Host = { host: string; port: number }

const ADDRESS = /^(postgres(?:ql)?:\/\/)([^/@?]*@)?([^/?]*)([^?]*)(?:\?(.*))?$/

function partsOf(url: string) {
  const [, scheme = '', login = '', hosts = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  parameters.delete('target_session_attrs')
  return { scheme, login, hosts: hosts.split(','), path, query: parameters.toString() }
}

/** The machines of `postgres://user@one:5432,two:5432/name`, in their order. */
export function hostsOf(url: string): Host[] {
  return partsOf(url).hosts.map((each) => {
    const [, host = '', port = '5432'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(each) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
}

/** The same address with each of its machines alone. */
export function addressesOf(url: string): string[] {
  const { scheme, login, hosts, path, query } = partsOf(url)
  return hosts.map((host) => `${scheme}${login}${host}${path}${query === '' ? '' : `?${query}`}`)
}

/** The same address with one of its machines named first. */
export function withFirst(url: string, at: number): string {
  const { scheme, login, hosts, path, query } = partsOf(url)
  const inOrder = [...hosts.slice(at), ...hosts.slice(0, at)]
  return `${scheme}${login}${inOrder.join(',')}${path}${query === '' ? '' : `?${query}`}`
}

/** Which of several machines is taken for the primary. */
export type HostChoice = {
  /** The number of the machine that new connections go to. */
  at(): number
  current(): Host
  /** That machine does not answer, or only reads: the next one is tried, unless another is taken already. */
  leave(at: number): void
}

/** One choice for all connections of a pool; `onChange` is told of each new one. */
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

/** Whether a failure is that of reaching a machine that writes, and not of what was asked of it. */
export function isUnfitHost(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return (
    typeof code === 'string' &&
    /^(ECONNREFUSED|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|CONNECT_TIMEOUT|57P03|25006)/.test(code)
  )
}
