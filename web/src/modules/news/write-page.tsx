import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { read, useRead, useWrite } from '../../app/api.ts'
import { mayRetry, useFailureText } from '../../app/failures.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { acceptOf, checkFile } from '../../app/uploads.ts'
import { plural, useWords, words } from '../../app/words.ts'
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

type Draft = { title: string; subject: string; from: string; content: string; tags: number[] }
const EMPTY: Draft = { title: '', subject: '', from: '', content: '', tags: [] }

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
    const place = `kith.draft.article.${id ?? 'new'}`
    const [draft, setDraft] = useState<Draft>(
      article
        ? {
            title: article.title,
            subject: article.subject,
            from: article.from ?? '',
            content: article.content,
            tags: article.tags.map((tag) => tag.id),
          }
        : EMPTY,
    )
    /** Picture that could not be inserted. */
    const [failed, setFailed] = useState<{ file: File; error: unknown }>()
    const [key] = useState(() => crypto.randomUUID())
    const text = useRef<HTMLTextAreaElement>(null)
    useEffect(() => {
      const kept = localStorage.getItem(place)
      if (kept) setDraft({ ...EMPTY, ...(JSON.parse(kept) as Partial<Draft>) })
    }, [place])
    const set = (change: Partial<Draft>) =>
      setDraft((before) => {
        const next = { ...before, ...change }
        localStorage.setItem(place, JSON.stringify(next))
        return next
      })
    const insert = async (file: File | undefined) => {
      if (!file) return
      setFailed(undefined)
      try {
        checkFile(file, settings, 'picture')
        const { id: picture } = await api.upload(file, { name: file.name })
        const at = text.current?.selectionEnd ?? draft.content.length
        set({
          content: `${draft.content.slice(0, at)}\n\n@![${file.name.replaceAll(/[[\]\n]/g, '')}](${picture})\n\n${draft.content.slice(at)}`,
        })
      } catch (error) {
        setFailed({ file, error })
      }
    }
    const write = useWrite<{ category: number; password?: string }>(
      (client, { category, password }) => {
        const { from, subject, ...rest } = draft
        const body = { ...rest, subject: subject || null, from: from || null }
        return id === undefined
          ? client.post('/news/categories/{category}/currency-news', {
              params: { path: { category } },
              body: { ...body, ...(password ? { password } : {}) },
              headers: { 'idempotency-key': `${key}-${draft.title}-${draft.content.length}` },
            } as never)
          : client.patch('/news/categories/{category}/news/{news}', {
              params: { path: { category, news: id } },
              body,
            } as never)
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
            send={async ({ category, password }) => {
              await write.mutateAsync({ category: Number(category), ...(password ? { password } : {}) })
              localStorage.removeItem(place)
              say(t.sent)
              navigate('/news/mine')
            }}
          >
            <label>
              {t.category}
              <select name="category" defaultValue={article?.category.id}>
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
              value={draft.title}
              onInput={({ currentTarget: { value } }) => set({ title: value })}
            />
            <label>
              {t.subject}
              <textarea
                dir="auto"
                rows={2}
                maxLength={400}
                value={draft.subject}
                onInput={({ currentTarget: { value } }) => set({ subject: value })}
              />
            </label>
            <WritingArea
              label={t.content}
              area={text}
              rows={14}
              required
              maxLength={100_000}
              value={draft.content}
              onText={(content) => set({ content })}
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
            <Preview text={draft.content} />
            <fieldset class="topics">
              <legend>{t.tags}</legend>
              {kinds.flatMap(({ tags }) =>
                tags.map((tag) => (
                  <label key={tag.id} class="check">
                    <input
                      type="checkbox"
                      checked={draft.tags.includes(tag.id)}
                      onChange={({ currentTarget: { checked } }) =>
                        set({
                          tags: checked
                            ? [...draft.tags, tag.id]
                            : draft.tags.filter((each) => each !== tag.id),
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
              value={draft.from}
              onInput={({ currentTarget: { value } }) => set({ from: value })}
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
