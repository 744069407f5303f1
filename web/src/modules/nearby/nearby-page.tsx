import type { Schema } from '@kith/client'
import { MapPin } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useFailureText } from '../../app/failures.ts'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { PersonRow } from '../../ui/person-row.tsx'
import { PeopleTabs } from './people-tabs.tsx'

const WORDS = words({
  title: ['People nearby', '附近的人'],
  lead: [
    'When you share your location, users nearby can see you here for 30 days. The location is accurate to about 100 metres.',
    '共享位置后，附近的用户在 30 天内可以在这里看到你。位置精确到约 100 米。',
  ],
  look: ['Share my location and search', '共享位置并查看附近的人'],
  stop: ['Stop sharing my location', '停止共享位置'],
  stopped: ['Your location is no longer shared.', '已停止共享位置。'],
  refused: ['The browser did not provide your location.', '浏览器未提供位置信息。'],
  none: ['No users nearby.', '附近暂无用户。'],
  metres: [(metres: number) => `${metres} m`, (metres: number) => `${metres} 米`],
  kilometres: [(far: string) => `${far} km`, (far: string) => `${far} 公里`],
})

type Near = { person: Schema<'User'>; metres: number }

const whereAmI = () =>
  new Promise<{ latitude: number; longitude: number }>((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), reject, { timeout: 20_000 }),
  )

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const textOf = useFailureText()
    const { api, viewer } = useSite()
    const { say, fail } = useToast()
    const [near, setNear] = useState<Near[]>()
    const [failure, setFailure] = useState('')
    const [isBusy, setIsBusy] = useState(false)
    const look = async () => {
      setIsBusy(true)
      setFailure('')
      const place = await whereAmI().catch(() => undefined)
      if (!place) setFailure(t.refused)
      else
        try {
          const { latitude, longitude } = place
          await api.post('/around-amap', { body: { latitude, longitude } })
          const found = (
            await api.get('/around-amap', { params: { query: { latitude, longitude, limit: 50 } } })
          ).filter(({ user_id }) => user_id !== viewer?.id)
          const ids = found.map(({ user_id }) => user_id)
          const people =
            ids.length === 0
              ? []
              : await api.get('/users', { params: { query: { id: ids, limit: ids.length } } })
          setNear(
            found.flatMap(({ user_id, _distance }) => {
              const person = people.find(({ id }) => id === user_id)
              return person ? [{ person, metres: Number(_distance) }] : []
            }),
          )
        } catch (error) {
          setFailure(textOf(error))
        }
      setIsBusy(false)
    }
    const stop = () =>
      api.delete('/around-amap').then(() => {
        setNear(undefined)
        say(t.stopped)
      }, fail)
    return (
      <>
        <PeopleTabs path={visit.path} />
        <header class="article">
          <h1>{t.title}</h1>
          <p class="quiet">{t.lead}</p>
          <p class="pair">
            <button type="button" class="button" disabled={isBusy} onClick={look}>
              <MapPin size={18} aria-hidden /> {t.look}
            </button>{' '}
            <button type="button" class="button is-quiet" onClick={stop}>
              {t.stop}
            </button>
          </p>
          {failure && (
            <p class="failure" role="alert">
              {failure}
            </p>
          )}
        </header>
        <ul class="rows is-padded" aria-live="polite">
          {near?.map(({ person, metres }) => (
            <PersonRow key={person.id} person={person}>
              <span class="quiet">
                {metres < 1_000 ? t.metres(Math.round(metres)) : t.kilometres((metres / 1_000).toFixed(1))}
              </span>
            </PersonRow>
          ))}
        </ul>
        {near?.length === 0 && <p class="quiet is-centred">{t.none}</p>}
      </>
    )
  },
})
