import type { Schema } from '@kith/client'
import { read, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
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

export const page = definePage({
  queries: () => [rulesOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { say } = useToast()
    const { data: rules } = useRead(rulesOf())
    const save = useWrite<Schema<'ContactRules'>>((api, body) => api.patch('/user/contact-rules', { body }), {
      changes: ['/user/contact-rules'],
    })
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
      </SettingsFrame>
    )
  },
})
