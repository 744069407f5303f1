import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { read, useRead, useWrite } from '../../app/api.ts'
import { definePage } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { useIsReady } from '../../ui/form.tsx'
import { SettingsFrame } from '../accounts/settings/frame.tsx'
import { DigestSwitch, digestOf } from './digest-switch.tsx'
import { PushSwitch } from './push-switch.tsx'

const WORDS = words({
  title: ['Push notifications', '推送通知'],
  lead: [
    'Choose the notifications that are pushed to your phones and browsers. The list on this site always shows all of them.',
    '选择要推送到手机和浏览器的通知。站内通知列表始终显示全部通知。',
  ],
  comment: ['Comments and replies', '评论与回复'],
  at: ['Mentions', '提到我的'],
  like: ['Likes', '点赞'],
  follow: ['New followers', '新粉丝'],
  system: ['System notifications', '系统通知'],
  chat: ['Messages', '私信'],
  text: ['Show the content on the lock screen', '在锁屏上显示通知内容'],
  quiet: ['Quiet hours', '免打扰时段'],
  from: ['From', '开始'],
  until: ['Until', '结束'],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
})

type Preferences = Schema<'PushPreferences'>
const TYPES = ['comment', 'at', 'like', 'follow', 'system', 'chat'] as const
const preferencesOf = () => read('/user/push/preferences')

export const page = definePage({
  queries: () => [preferencesOf(), digestOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const { data } = useRead(preferencesOf())
    return (
      <SettingsFrame path={visit.path}>
        {data && <Form given={data} />}
        <PushSwitch />
        <DigestSwitch />
      </SettingsFrame>
    )
  },
})

function Form({ given }: { given: Preferences }) {
  const t = useWords(WORDS)
  const { say, fail } = useToast()
  const [wanted, setWanted] = useState(given)
  const isReady = useIsReady()
  const save = useWrite((api) => api.put('/user/push/preferences', { body: wanted }), {
    changes: ['/user/push/preferences'],
  })
  const { quiet } = wanted
  const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <form
      class="fields"
      method="post"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(undefined, { onSuccess: () => say(t.saved), onError: fail })
      }}
    >
      <h2>{t.title}</h2>
      <p class="quiet">{t.lead}</p>
      {TYPES.map((type) => (
        <label key={type} class="check">
          <input
            type="checkbox"
            checked={!wanted.off.includes(type)}
            onChange={({ currentTarget: { checked } }) =>
              setWanted({
                ...wanted,
                off: checked ? wanted.off.filter((each) => each !== type) : [...wanted.off, type],
              })
            }
          />
          {t[type]}
        </label>
      ))}
      <hr />
      <label class="check">
        <input
          type="checkbox"
          checked={wanted.text}
          onChange={({ currentTarget: { checked } }) => setWanted({ ...wanted, text: checked })}
        />
        {t.text}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={quiet !== null}
          onChange={({ currentTarget: { checked } }) =>
            setWanted({
              ...wanted,
              quiet: checked ? { from: '22:00', until: '07:00', time_zone: zone() } : null,
            })
          }
        />
        {t.quiet}
      </label>
      {quiet && (
        <div class="pair">
          {(['from', 'until'] as const).map((side) => (
            <label key={side}>
              {t[side]}
              <input
                type="time"
                required
                value={quiet[side]}
                onInput={({ currentTarget: { value } }) =>
                  setWanted({ ...wanted, quiet: { ...quiet, [side]: value } })
                }
              />
            </label>
          ))}
        </div>
      )}
      <button class="button" type="submit" disabled={save.isPending || !isReady}>
        {t.save}
      </button>
    </form>
  )
}
