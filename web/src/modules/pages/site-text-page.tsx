import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { cutText, onOneLine } from '../../app/text.ts'
import { useWords, words } from '../../app/words.ts'
import { Text } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

const WORDS = words({ updated: ['Last changed', '更新于'] })

const pageOf = ({ params }: Visit) =>
  read('/pages/{slug}', { params: { path: { slug: params.slug ?? '' }, query: { trees: true } } })

const DESCRIPTION_MOST = 200

export const page = definePage({
  queries: (visit) => [pageOf(visit)],
  head: (visit, known) => {
    const { title, body } = known.one(pageOf(visit))
    return {
      title,
      description: cutText(onOneLine(body.replace(/[#*_>`]/g, '')), DESCRIPTION_MOST),
      canonical: visit.path,
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const { data: text } = useRead(pageOf(visit))
    if (!text) return null
    const lang = text.language === 'zh' ? 'zh-CN' : 'en'
    return (
      <article class="article" {...(text.language === language ? {} : { lang })}>
        <h1>{text.title}</h1>
        <Text tree={text.body_tree} raw={text.body} name={`page-${text.slug}`} />
        <p class="quiet">
          {t.updated} <Time at={text.updated_at} />
        </p>
      </article>
    )
  },
})
