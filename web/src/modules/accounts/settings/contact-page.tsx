import type { Schema } from '@kith/client'
import { list, read, useList, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { More } from '../../../ui/more.tsx'
import { PersonButton, PersonRow } from '../../../ui/person-row.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  privacy: ['Private account', '私密账号'],
  privacyLead: [
    'Only your followers see your posts, and new followers need your approval. Earlier followers stay.',
    '只有你的关注者能看到你的动态，新的关注需要你同意。已有的关注者不受影响。',
  ],
  private: ['Show my posts to followers only', '仅关注者可见我的动态'],
  requests: ['Requests to follow you', '关注申请'],
  noRequests: ['No requests wait.', '没有待处理的申请。'],
  accept: ['Accept', '同意'],
  refuse: ['Refuse', '拒绝'],
  title: ['Who may contact you', '谁可以与你互动'],
  lead: [
    'People who may not are told so. Whoever you write to can always answer you.',
    '不被允许的用户会收到提示。你主动发过私信的人始终可以回复你。',
  ],
  comments: ['Comment on what you publish', '评论你发布的内容'],
  mentions: ['Mention you', '提及你'],
  quotes: ['Quote what you publish', '引用你发布的内容'],
  messages: ['Write messages to you', '给你发私信'],
  everybody: ['Everybody', '所有人'],
  followed: ['People you follow', '你关注的人'],
  nobody: ['Nobody', '任何人都不可以'],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
})

const KINDS = ['comments', 'mentions', 'quotes', 'messages'] as const
const AUDIENCES = ['everybody', 'followed', 'nobody'] as const
const rulesOf = () => read('/user/contact-rules')
const privacyOf = () => read('/user/privacy')
const requestsOf = () => list('/user/follow-requests')

export const page = definePage({
  queries: () => [rulesOf(), privacyOf(), requestsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { say, fail } = useToast()
    const { data: rules } = useRead(rulesOf())
    const save = useWrite<Schema<'ContactRules'>>((api, body) => api.patch('/user/contact-rules', { body }), {
      changes: ['/user/contact-rules'],
    })
    const { data: privacy } = useRead(privacyOf())
    const setPrivate = useWrite<boolean>(
      (api, isPrivate) => api.put('/user/privacy', { body: { private: isPrivate } }),
      {
        changes: ['/user/privacy', '/feeds'],
      },
    )
    const requests = useList(requestsOf())
    const accept = useWrite<number>(
      (api, user) => api.put('/user/follow-requests/{user}', { params: { path: { user } } }),
      { changes: ['/user/follow-requests'] },
    )
    const refuse = useWrite<number>(
      (api, user) => api.delete('/user/follow-requests/{user}', { params: { path: { user } } }),
      { changes: ['/user/follow-requests'] },
    )
    return (
      <SettingsFrame path={visit.path}>
        <h2>{t.title}</h2>
        <p class="quiet">{t.lead}</p>
        {rules && (
          <Form
            label={t.save}
            send={async (given) => {
              await save.mutateAsync(given as unknown as Schema<'ContactRules'>)
              say(t.saved)
            }}
          >
            {KINDS.map((kind) => (
              <label key={kind}>
                {t[kind]}
                <select name={kind} defaultValue={rules[kind]}>
                  {AUDIENCES.map((audience) => (
                    <option key={audience} value={audience}>
                      {t[audience]}
                    </option>
                  ))}
                </select>
              </label>
            ))}
          </Form>
        )}
        <h2>{t.privacy}</h2>
        <p class="quiet">{t.privacyLead}</p>
        {privacy && (
          <label class="check">
            <input
              type="checkbox"
              checked={setPrivate.isPending || setPrivate.isSuccess ? setPrivate.variables : privacy.private}
              disabled={setPrivate.isPending}
              onChange={(event) =>
                setPrivate.mutate(event.currentTarget.checked, {
                  onError: fail,
                  onSuccess: () => say(t.saved),
                })
              }
            />
            {t.private}
          </label>
        )}
        <h2>{t.requests}</h2>
        {requests.items.length === 0 && <p>{t.noRequests}</p>}
        <ul class="rows">
          {requests.items.map(({ user: person }) => (
            <PersonRow key={person.id} person={person} note={null}>
              <PersonButton
                person={person}
                label={t.accept}
                isQuiet={false}
                act={() => accept.mutate(person.id, { onError: fail })}
              />
              <PersonButton
                person={person}
                label={t.refuse}
                act={() => refuse.mutate(person.id, { onError: fail })}
              />
            </PersonRow>
          ))}
        </ul>
        <More list={requests} path={visit.path} />
      </SettingsFrame>
    )
  },
})
