import { Link } from 'wouter-preact'
import { list, useList, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { More } from '../../../ui/more.tsx'
import { AvatarLink } from '../../../ui/picture.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Blocked people', '黑名单'],
  lead: [
    'They cannot write to you, comment or follow you, and you do not see what they publish.',
    '对方无法给您发消息、评论或关注您，您也看不到对方发布的内容。',
  ],
  none: ['You block nobody.', '黑名单为空。'],
  unblock: ['Unblock', '取消拉黑'],
})

const blockedOf = () => list('/user/blacks')

export const page = definePage({
  queries: () => [blockedOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const blocked = useList(blockedOf())
    const unblock = useWrite<number>(
      (api, user) => api.delete('/user/black/{user}', { params: { path: { user } } }),
      { changes: ['/user/blacks'] },
    )
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        {blocked.items.length === 0 && <p>{t.none}</p>}
        <ul class="rows">
          {blocked.items.map((person) => (
            <li key={person.id}>
              <AvatarLink person={person} />
              <div>
                <Link class="name" href={`/users/${person.id}`}>
                  {person.name}
                </Link>
              </div>
              <button
                type="button"
                class="button is-quiet"
                onClick={() => unblock.mutate(person.id, { onError: fail })}
              >
                {t.unblock}
              </button>
            </li>
          ))}
        </ul>
        <More list={blocked} path={visit.path} />
      </SettingsFrame>
    )
  },
})
