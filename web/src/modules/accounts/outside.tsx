import type { Kith, Schema } from '@kith/client'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { useIsReady } from '../../ui/form.tsx'
import { ask } from './session.ts'

const WORDS = words({
  continue: [(name: string) => `Continue with ${name}`, (name: string) => `使用 ${name} 登录`],
})

type Departure = { provider: string; verification: string; purpose: 'enter' | 'link'; next: string }

const KEY = 'kith-departure'

export const useProviders = (): Schema<'OutsideProvider'>[] => useSite().settings.outside_providers ?? []

export async function depart(api: Kith, departure: Omit<Departure, 'verification'>): Promise<void> {
  const { url, verification } = await api.post('/socialite/{provider}/departures', {
    params: { path: { provider: departure.provider } },
  })
  sessionStorage.setItem(KEY, JSON.stringify({ ...departure, verification }))
  location.assign(url)
}

export function takeDeparture(provider: string): Departure | undefined {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Departure | null
  sessionStorage.removeItem(KEY)
  return kept?.provider === provider ? kept : undefined
}

type Entry = 'POST' | 'PATCH' | 'PUT'

export const enter = (
  method: Entry,
  provider: string,
  body: { access_token: string } & Record<string, string>,
) => ask(method, `/socialite/${provider}`, body)

export function Providers({ next }: { next: string }) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { fail } = useToast()
  const isReady = useIsReady()
  return useProviders().map(({ name, label }) => (
    <button
      key={name}
      type="button"
      class="button is-quiet is-wide"
      disabled={!isReady}
      onClick={() => void depart(api, { provider: name, purpose: 'enter', next }).catch(fail)}
    >
      {t.continue(label)}
    </button>
  ))
}
