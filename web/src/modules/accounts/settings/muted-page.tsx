import { Link } from 'wouter-preact'
import { list, useList, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { More } from '../../../ui/more.tsx'
import { AvatarLink } from '../../../ui/picture.tsx'
import { Time } from '../../../ui/time.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Muted users', '已屏蔽的用户'],
  lead: [
    'You do not see posts and comments of muted users in lists, and get no notifications of what they do. They do not learn of it.',
    '你不会在列表中看到已屏蔽用户的动态和评论，也不会收到他们触发的通知。对方不会知道。',
  ],
  none: ['You have not muted anyone.', '你没有屏蔽任何人。'],
  unmute: ['Unmute', '取消屏蔽'],
  until: ['Until', '屏蔽至'],
})

const mutesOf = () => list('/user/mutes')

export const page = definePage({
  queries: () => [mutesOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const muted = useList(mutesOf())
    const unmute = useWrite<number>(
      (api, user) => api.delete('/user/mutes/{user}', { params: { path: { user } } }),
      { changes: ['/user/mutes', '/user/relations/{user}'] },
    )
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        {muted.items.length === 0 && <p>{t.none}</p>}
        <ul class="rows">
          {muted.items.map(({ user: person, ends_at: endsAt }) => (
            <li key={person.id}>
              <AvatarLink person={person} />
              <div>
                <Link class="name" dir="auto" href={`/users/${person.id}`}>
                  {person.name}
                </Link>
                {endsAt && (
                  <p class="quiet">
                    {t.until} <Time at={endsAt} form="full" />
                  </p>
                )}
              </div>
              <button
                type="button"
                class="button is-quiet"
                onClick={() => unmute.mutate(person.id, { onError: fail })}
              >
                {t.unmute}
              </button>
            </li>
          ))}
        </ul>
        <More list={muted} path={visit.path} />
      </SettingsFrame>
    )
  },
})
