import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { list, read, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Field, Form } from '../../ui/form.tsx'
import { Preview } from '../../ui/preview.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'

const WORDS = words({
  title: ['Ask a question', '提问'],
  subject: ['Question', '问题'],
  body: ['Details (Markdown)', '补充说明（支持 Markdown）'],
  topics: ['Topics (at least one)', '话题（至少一个）'],
  bounty: ['Bounty in points, 0 for none', '悬赏积分（0 为不悬赏）'],
  anonymous: ['Ask anonymously', '匿名提问'],
  password: ['Your password', '登录密码'],
  send: ['Publish question', '发布问题'],
  edit: ['Edit the question', '编辑问题'],
  save: ['Save', '保存'],
})

const topicsOf = () => list('/question-topics', { params: { query: { limit: 50 } } })

const editedOf = ({ search }: Visit) => Number(search.get('question')) || undefined
const questionOf = (visit: Visit) =>
  read('/questions/{question}', { params: { path: { question: editedOf(visit) ?? 0 } } })

export const page = definePage({
  queries: (visit) => [topicsOf(), ...(editedOf(visit) ? [questionOf(visit)] : [])],
  head: (visit) => ({
    title: WORDS[visit.language][editedOf(visit) ? 'edit' : 'title'],
    isPrivate: true,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, settings } = useSite()
    const [, navigate] = useLocation()
    const topics = useList(topicsOf())
    const id = editedOf(visit)
    const { data: question } = useRead(questionOf(visit), { enabled: id !== undefined })
    const cache = useQueryClient()
    const [body, setBody] = useState(question?.body ?? '')
    const [bounty, setBounty] = useState(0)
    const [chosen, setChosen] = useState<number[]>(question?.topics.map((topic) => topic.id) ?? [])
    return (
      <div class="settings">
        <h1>{id ? t.edit : t.title}</h1>
        <Form
          label={id ? t.save : t.send}
          draft={id ? `edit/question/${id}` : 'question'}
          send={async ({ subject = '', anonymous, password }, _form, mark) => {
            const text = {
              subject: /[?？]$/.test(subject) ? subject : `${subject}?`,
              body,
              topics: chosen.map((topic) => ({ id: topic })),
            }
            if (id) {
              await api.patch('/questions/{question}', { params: { path: { question: id } }, body: text })
              void cache.invalidateQueries({ queryKey: ['/questions/{question}'] })
              return navigate(`/questions/${id}`)
            }
            const made = await api.post('/questions', {
              body: {
                ...text,
                anonymity: anonymous === 'on',
                ...(bounty > 0 ? { amount: bounty } : {}),
                ...(password ? { password } : {}),
              },
              headers: { 'idempotency-key': mark },
            })
            navigate(`/questions/${made.question.id}`)
          }}
        >
          <Field
            label={t.subject}
            name="subject"
            defaultValue={question?.subject ?? ''}
            required
            maxLength={250}
          />
          <fieldset class="topics">
            <legend>{t.topics}</legend>
            {topics.items.map(({ id, name }) => (
              <label key={id} class="check">
                <input
                  type="checkbox"
                  name="topics"
                  value={id}
                  checked={chosen.includes(id)}
                  onChange={({ currentTarget: { checked } }) =>
                    setChosen(checked ? [...chosen, id] : chosen.filter((each) => each !== id))
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
          <WritingArea label={t.body} name="body" rows={8} maxLength={50_000} value={body} onText={setBody} />
          <Preview text={body} />
          {!id && (
            <>
              <Field
                label={t.bounty}
                name="bounty"
                type="number"
                min={0}
                inputMode="numeric"
                value={bounty}
                onInput={({ currentTarget }) => setBounty(Number(currentTarget.value))}
              />
              {bounty > 0 && settings['pay-validate-user-password'] && (
                <Field
                  label={t.password}
                  name="password"
                  type="password"
                  autocomplete="current-password"
                  required
                />
              )}
              <label class="check">
                <input type="checkbox" name="anonymous" />
                {t.anonymous}
              </label>
            </>
          )}
        </Form>
      </div>
    )
  },
})
