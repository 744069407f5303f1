import { list, useList, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { More } from '../../../ui/more.tsx'
import { PersonButton, PersonRow } from '../../../ui/person-row.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Blocked users', '黑名单'],
  lead: [
    'Blocked users cannot follow, mention, quote or message you, or comment on your content. Neither of you sees the other in lists.',
    '黑名单中的用户无法关注、提及、引用你，也无法给你发私信或评论你的内容。你们在各列表中互不可见。',
  ],
  none: ['You have not blocked anyone.', '你没有拉黑任何人。'],
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
            <PersonRow key={person.id} person={person} note={null}>
              <PersonButton
                person={person}
                label={t.unblock}
                act={() => unblock.mutate(person.id, { onError: fail })}
              />
            </PersonRow>
          ))}
        </ul>
        <More list={blocked} path={visit.path} />
      </SettingsFrame>
    )
  },
})
