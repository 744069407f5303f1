import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { read, useRead, useWrite } from '../../app/api.ts'
import { digest } from '../../app/drafts.ts'
import { mayRetry, useFailureText } from '../../app/failures.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { acceptOf, checkFile } from '../../app/uploads.ts'
import { useDraft } from '../../app/use-draft.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { DraftNotes } from '../../ui/draft-notes.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Preview } from '../../ui/preview.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'

const WORDS = words({
  title: ['Write an article', '投稿'],
  again: ['Edit the article', '修改投稿'],
  category: ['Category', '分类'],
  heading: ['Title', '标题'],
  subject: ['Summary', '摘要'],
  from: ['Source, if the article is not yours', '来源（转载时填写）'],
  tags: ['Tags (at least one)', '标签（至少一个）'],
  content: ['Text (Markdown)', '正文（支持 Markdown）'],
  picture: ['Insert a picture into the text', '在正文中插入图片'],
  retry: ['Try again', '重试'],
  fee: [
    (points: number) => `Submitting an article costs ${plural(points, 'point')}.`,
    (points: number) => `投稿需支付 ${points} 积分。`,
  ],
  password: ['Your password', '登录密码'],
  send: ['Submit for review', '提交审核'],
  sent: ['Article submitted. An editor will review it.', '投稿已提交，等待审核。'],
  none: ['This site has no news categories yet.', '本站暂无资讯分类。'],
  verified: ['Only certified users can submit articles here.', '仅认证用户可投稿。'],
})

type Text = {
  title: string
  subject: string
  from: string
  content: string
  tags: number[]
  category: number
}
const EMPTY: Text = { title: '', subject: '', from: '', content: '', tags: [], category: 0 }

/** Contribution settings that the schema of `GET /bootstrappers` does not describe. */
type Rules = { 'news:contribute': { pay: boolean; verified: boolean }; news: { pay_contribute: number } }

const categoriesOf = () => read('/news/cates')
const tagsOf = () => read('/tags')
const revised = ({ search }: Visit) => Number(search.get('article')) || undefined
const articleOf = (visit: Visit) => read('/news/{news}', { params: { path: { news: revised(visit) ?? 0 } } })

export const page = definePage({
  queries: (visit) => [categoriesOf(), tagsOf(), ...(revised(visit) ? [articleOf(visit)] : [])],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const textOf = useFailureText()
    const { api, settings, viewer } = useSite()
    const { say } = useToast()
    const [, navigate] = useLocation()
    const { data: categories } = useRead(categoriesOf())
    const { data: kinds = [] } = useRead(tagsOf())
    const id = revised(visit)
    const { data: article } = useRead(articleOf(visit), { enabled: id !== undefined })
    const saved: Text = article
      ? {
          title: article.title,
          subject: article.subject,
          from: article.from ?? '',
          content: article.content,
          tags: article.tags.map((tag) => tag.id),
          category: article.category.id,
        }
      : EMPTY
    const draft = useDraft<Text>(`article/${id ?? 'new'}`, saved, {
      base: () => digest(JSON.stringify(saved)),
    })
    const { title, subject, from, content, tags, category } = draft.value
    /** Picture that could not be inserted. */
    const [failed, setFailed] = useState<{ file: File; error: unknown }>()
    const text = useRef<HTMLTextAreaElement>(null)
    const insert = async (file: File | undefined) => {
      if (!file) return
      setFailed(undefined)
      try {
        checkFile(file, settings, 'picture')
        const { id: picture } = await api.upload(file, { name: file.name })
        const at = text.current?.selectionEnd ?? Number.POSITIVE_INFINITY
        draft.change(({ content: now }) => ({
          content: `${now.slice(0, at)}\n\n@![${file.name.replaceAll(/[[\]\n]/g, '')}](${picture})\n\n${now.slice(at)}`,
        }))
      } catch (error) {
        setFailed({ file, error })
      }
    }
    const write = useWrite<string | undefined>(
      (client, password) => {
        const body = { title, content, tags, subject: subject || null, from: from || null }
        const chosen = category || all[0]?.id || 0
        return draft.send((mark) =>
          id === undefined
            ? client.post('/news/categories/{category}/currency-news', {
                params: { path: { category: chosen } },
                body: { ...body, ...(password ? { password } : {}) },
                headers: { 'idempotency-key': mark },
              } as never)
            : client.patch('/news/categories/{category}/news/{news}', {
                params: { path: { category: chosen, news: id } },
                body,
              } as never),
        )
      },
      { changes: ['/user/news/contributes', '/user', '/news/{news}'] },
    )
    const rules = settings as unknown as Rules
    const fee = id === undefined && rules['news:contribute'].pay ? rules.news.pay_contribute : 0
    const all = [...(categories?.my_cates ?? []), ...(categories?.more_cates ?? [])]
    return (
      <div class="settings">
        <h1>{id === undefined ? t.title : t.again}</h1>
        {rules['news:contribute'].verified && !viewer?.verified ? (
          <p>{t.verified}</p>
        ) : all.length === 0 ? (
          <p>{t.none}</p>
        ) : (
          <Form
            label={t.send}
            send={async ({ password }) => {
              await write.mutateAsync(password)
              say(t.sent)
              navigate('/news/mine')
            }}
          >
            <DraftNotes draft={draft} excerpt={(value) => value.title || value.content} />
            <label>
              {t.category}
              <select
                name="category"
                value={category || undefined}
                onChange={({ currentTarget: { value } }) => draft.change({ category: Number(value) })}
              >
                {all.map((each) => (
                  <option key={each.id} value={each.id}>
                    {each.name}
                  </option>
                ))}
              </select>
            </label>
            <Field
              label={t.heading}
              name="title"
              required
              maxLength={40}
              value={title}
              onInput={({ currentTarget: { value } }) => draft.change({ title: value })}
            />
            <label>
              {t.subject}
              <textarea
                dir="auto"
                rows={2}
                maxLength={400}
                value={subject}
                onInput={({ currentTarget: { value } }) => draft.change({ subject: value })}
              />
            </label>
            <WritingArea
              label={t.content}
              area={text}
              rows={14}
              required
              maxLength={100_000}
              value={content}
              onText={(next) => draft.change({ content: next })}
            />
            <label>
              {t.picture}
              <input
                type="file"
                accept={acceptOf(settings, 'picture')}
                onChange={({ currentTarget }) => {
                  void insert(currentTarget.files?.[0])
                  currentTarget.value = ''
                }}
              />
            </label>
            {failed && (
              <p class="failure" role="alert">
                {failed.file.name}: {textOf(failed.error)}{' '}
                {mayRetry(failed.error) && (
                  <button type="button" class="text-button" onClick={() => void insert(failed.file)}>
                    {t.retry}
                  </button>
                )}
              </p>
            )}
            <Preview text={content} />
            <fieldset class="topics">
              <legend>{t.tags}</legend>
              {kinds.flatMap(({ tags: options }) =>
                options.map((tag) => (
                  <label key={tag.id} class="check">
                    <input
                      type="checkbox"
                      checked={tags.includes(tag.id)}
                      onChange={({ currentTarget: { checked } }) =>
                        draft.change({
                          tags: checked ? [...tags, tag.id] : tags.filter((each) => each !== tag.id),
                        })
                      }
                    />
                    {tag.name}
                  </label>
                )),
              )}
            </fieldset>
            <Field
              label={t.from}
              name="from"
              maxLength={100}
              value={from}
              onInput={({ currentTarget: { value } }) => draft.change({ from: value })}
            />
            {fee > 0 && <p>{t.fee(fee)}</p>}
            {fee > 0 && settings['pay-validate-user-password'] && (
              <Field
                label={t.password}
                name="password"
                type="password"
                autocomplete="current-password"
                required
              />
            )}
          </Form>
        )}
      </div>
    )
  },
})
