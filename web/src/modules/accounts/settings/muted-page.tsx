import { list, read, useList, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { More } from '../../../ui/more.tsx'
import { PersonButton, PersonRow } from '../../../ui/person-row.tsx'
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
  words: ['Muted words', '屏蔽词'],
  wordsLead: [
    'Posts with such a word are collapsed, and comments and mentions with it cause no notification. A word that begins with # is a topic.',
    '含有屏蔽词的动态会被折叠，含有屏蔽词的评论和提及不会通知你。以 # 开头的词表示话题。',
  ],
  word: ['Word or #topic', '词语或 #话题'],
  add: ['Mute word', '添加屏蔽词'],
  people: ['Muted users', '已屏蔽的用户'],
})

const wordsOf = () => read('/user/muted-words')
const mutesOf = () => list('/user/mutes')

export const page = definePage({
  queries: () => [mutesOf(), wordsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const muted = useList(mutesOf())
    const unmute = useWrite<number>(
      (api, user) => api.delete('/user/mutes/{user}', { params: { path: { user } } }),
      { changes: ['/user/mutes', '/user/relations/{user}'] },
    )
    const { data: words = [] } = useRead(wordsOf())
    const add = useWrite<string>((api, word) => api.post('/user/muted-words', { body: { word } }), {
      changes: ['/user/muted-words', '/feeds'],
    })
    const drop = useWrite<number>(
      (api, word) => api.delete('/user/muted-words/{word}', { params: { path: { word } } }),
      { changes: ['/user/muted-words', '/feeds'] },
    )
    return (
      <SettingsFrame path={visit.path}>
        <h2>{t.people}</h2>
        <p class="quiet">{t.lead}</p>
        {muted.items.length === 0 && <p>{t.none}</p>}
        <ul class="rows">
          {muted.items.map(({ user: person, ends_at: endsAt }) => (
            <PersonRow
              key={person.id}
              person={person}
              note={
                endsAt && (
                  <>
                    {t.until} <Time at={endsAt} form="full" />
                  </>
                )
              }
            >
              <PersonButton
                person={person}
                label={t.unmute}
                act={() => unmute.mutate(person.id, { onError: fail })}
              />
            </PersonRow>
          ))}
        </ul>
        <More list={muted} path={visit.path} />
        <h2>{t.words}</h2>
        <p class="quiet">{t.wordsLead}</p>
        <ul class="rows">
          {words.map(({ id, word, ends_at: endsAt }) => (
            <li key={id}>
              <div>
                <span class="name" dir="auto">
                  {word}
                </span>
                {endsAt && (
                  <p class="quiet">
                    {t.until} <Time at={endsAt} form="full" />
                  </p>
                )}
              </div>
              <button
                type="button"
                class="button is-quiet"
                aria-label={`${t.unmute} ${word}`}
                onClick={() => drop.mutate(id, { onError: fail })}
              >
                {t.unmute}
              </button>
            </li>
          ))}
        </ul>
        <Form
          label={t.add}
          send={async ({ word = '' }, form) => {
            await add.mutateAsync(word)
            form.reset()
          }}
        >
          <label>
            {t.word}
            <input name="word" maxLength={50} required />
          </label>
        </Form>
      </SettingsFrame>
    )
  },
})
