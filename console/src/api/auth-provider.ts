import { ABILITIES } from 'virtual:contract'
import type { AuthProvider, UserIdentity } from 'react-admin'
import { AREAS } from '../areas/areas.ts'
import { QUEUES } from '../queues/queues.ts'
import { call, kith } from './client.ts'
import { fileAddressOf } from './pictures.ts'

let abilities: Promise<Set<string>> | null = null
let identity: Promise<UserIdentity> | null = null

export function myAbilities(): Promise<Set<string>> {
  abilities ??= call<{ name: string }[]>('GET', '/user/abilities').then(
    (list) => new Set(list.map(({ name }) => name)),
  )
  abilities.catch(() => {
    abilities = null
  })
  return abilities
}

export function mayCall(mine: Set<string>, operation: string): boolean {
  return ABILITIES[operation]?.some((ability) => mine.has(ability)) ?? false
}

function forget() {
  abilities = null
  identity = null
}

const LOGIN = '/admin/login'

kith.session.onChange((isSignedIn) => {
  forget()
  // A full page load drops all cached data and opens the sign-in page.
  if (!isSignedIn && location.pathname !== LOGIN) location.assign(LOGIN)
})

const VERBS: Record<string, string> = {
  list: 'get',
  show: 'get',
  create: 'post',
  edit: 'patch',
  delete: 'delete',
}

/** Signs administrators in and out, and hides pages that they have no ability for. The server enforces access. */
export const authProvider: AuthProvider = {
  async login({ username, password, code }: { username: string; password: string; code?: string }) {
    forget()
    // Sends a second-factor code only once, so that the page asks for another code after a wrong code.
    let unusedCode = code ?? null
    const secondFactor = () => {
      const once = unusedCode
      unusedCode = null
      return once
    }
    await kith.session.signIn({ login: username, password }, { secondFactor })
    const mine = await myAbilities()
    if (mine.has('admin: login')) return
    await kith.session.signOut()
    throw new Error('kith.not_an_administrator')
  },
  async logout() {
    forget()
    await kith.session.signOut()
  },
  async checkAuth() {
    if (!(await kith.session.isSignedIn())) throw new Error('signed out')
  },
  async checkError(error: unknown) {
    if ((error as { status?: number }).status === 401) throw error
  },
  async getIdentity() {
    identity ??= call<{ id: number; name: string; avatar: unknown }>('GET', '/user').then(
      ({ id, name, avatar }) => {
        const address = fileAddressOf(avatar)
        return { id, fullName: name, ...(address ? { avatar: address } : {}) }
      },
    )
    return identity
  },
  async canAccess({ resource, action }) {
    const mine = await myAbilities()
    const queue = QUEUES.find(({ name }) => resource === `queue:${name}`)
    if (queue) return mayCall(mine, queue.operation)
    const verb = VERBS[action] ?? action
    const area = AREAS.find(({ name }) => name === resource)
    if (!area) return true
    const path = verb === 'get' || verb === 'post' ? area.path : `${area.path}/{${area.param ?? 'id'}}`
    return mayCall(mine, `${verb} ${path}`)
  },
}
