import { Laptop } from 'lucide-preact'
import { read, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Facts, Time } from '../../../ui/time.tsx'
import { SignOut } from '../sign-out.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Sessions', '登录设备'],
  lead: [
    'You are signed in on these devices. End any session that you do not recognise.',
    '你的账号已在以下设备登录。如有不认识的设备，请将其下线。',
  ],
  this: ['This device', '当前设备'],
  unknown: ['Unknown device', '未知设备'],
  on: [
    (browser: string, system: string) => `${browser} on ${system}`,
    (browser: string, system: string) => `${system} 上的 ${browser}`,
  ],
  end: ['End session', '下线'],
  endOthers: ['End all other sessions', '下线其他所有设备'],
})

const sessionsOf = () => read('/user/sessions')

export const page = definePage({
  queries: () => [sessionsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const { data: sessions = [] } = useRead(sessionsOf())
    const changes = ['/user/sessions']
    const end = useWrite<string>(
      (api, session) => api.delete('/user/sessions/{session}', { params: { path: { session } } }),
      { changes },
    )
    const endOthers = useWrite((api) => api.delete('/user/sessions'), { changes })
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        <ul class="rows">
          {sessions.map(({ id, device, browser, system, place, current, used_at }) => (
            <li key={id}>
              <Laptop size={20} aria-hidden />
              <div>
                <p class="name" dir="auto" title={device ?? undefined}>
                  {browser && system ? t.on(browser, system) : (browser ?? system ?? device ?? t.unknown)}
                </p>
                <p class="quiet">
                  <Facts of={[current ? t.this : <Time key="time" at={used_at} />, place]} />
                </p>
              </div>
              {!current && (
                <button
                  type="button"
                  class="button is-quiet"
                  onClick={() => end.mutate(id, { onError: fail })}
                >
                  {t.end}
                </button>
              )}
            </li>
          ))}
        </ul>
        <div class="pair">
          {sessions.length > 1 && (
            <button
              type="button"
              class="button is-danger"
              onClick={() => endOthers.mutate(undefined, { onError: fail })}
            >
              {t.endOthers}
            </button>
          )}
          <SignOut class="button is-quiet" />
        </div>
      </SettingsFrame>
    )
  },
})
