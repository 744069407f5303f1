import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { Bookmark, Heart } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useSite } from '../../app/site.ts'
import { authorship } from '../../app/structured.ts'
import { useWords, words } from '../../app/words.ts'
import { Byline } from '../../ui/byline.tsx'
import { Pin } from '../../ui/pin.tsx'
import { Report } from '../../ui/report.tsx'
import { Reward } from '../../ui/reward.tsx'
import { Supporters } from '../../ui/supporters.tsx'
import { Text } from '../../ui/text.tsx'
import { Action, useToggle } from '../../ui/toggle.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'

const WORDS = words({
  like: ['Like', '点赞'],
  collect: ['Save', '收藏'],
  related: ['Related articles', '相关资讯'],
  minutes: [(count: number) => `${count} min. to read`, (count: number) => `阅读约 ${count} 分钟`],
})

type Article = Schema<'NewsDetail'>

/** Reading speed in characters per minute. A word counts as five characters. */
const CHARACTERS_PER_MINUTE = 1_000

const idOf = ({ params }: Visit) => Number(params.news)
const articleOf = (visit: Visit) =>
  read('/news/{news}', { params: { path: { news: idOf(visit) }, query: { trees: true } } })

const relatedTo = (visit: Visit) =>
  read('/news/{news}/correlations', { params: { path: { news: idOf(visit) }, query: { limit: 3 } } })

export const page = definePage({
  queries: (visit) => [articleOf(visit), commentsOf('news', idOf(visit), visit.search)],
  extras: (visit) => [relatedTo(visit)],
  head: (visit, known) => {
    const article = known.one(articleOf(visit))
    const image = article.image && `${visit.origin}/api/v2/files/${article.image.id}?w=960`
    return {
      title: article.title,
      description: article.subject,
      canonical: visit.path,
      type: 'article',
      ...(image ? { image: { url: image, alt: article.title } } : {}),
      data: {
        '@type': 'NewsArticle',
        headline: article.title,
        url: `${visit.origin}${visit.path}`,
        ...authorship(article, visit),
        ...(article.author && article.author !== article.user?.name
          ? { author: { '@type': 'Person', name: article.author } }
          : {}),
        ...(image ? { image } : {}),
        commentCount: article.comment_count,
      },
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { data: article } = useRead(articleOf(visit))
    const { data: related = [] } = useRead(relatedTo(visit))
    const { api, viewer } = useSite()
    const cache = useQueryClient()
    const params = { path: { news: idOf(visit) } }
    const isOne = (each: object): each is Article =>
      'digg_count' in each && (each as Article).id === idOf(visit)
    const like = useToggle(isOne, {
      isOn: article?.has_like ?? false,
      on: (api) => api.post('/news/{news}/likes', { params }),
      off: (api) => api.delete('/news/{news}/likes', { params }),
      apply: (each, isOn) => ({ ...each, has_like: isOn, digg_count: each.digg_count + (isOn ? 1 : -1) }),
    })
    const collect = useToggle(isOne, {
      isOn: article?.has_collect ?? false,
      on: (api) => api.post('/news/{news}/collections', { params }),
      off: (api) => api.delete('/news/{news}/collections', { params }),
      apply: (each, isOn) => ({ ...each, has_collect: isOn }),
    })
    if (!article) return null
    return (
      <>
        <article class="article">
          <h1 {...said(article.title)}>{article.title}</h1>
          <Byline person={article.user} time={article.created_at} />
          <p class="quiet">
            <Link href={`/news?category=${article.category.id}`}>{article.category.name}</Link>
            {' · '}
            {t.minutes(Math.max(1, Math.round(article.text_content.length / CHARACTERS_PER_MINUTE)))}
          </p>
          {article.image && (
            <img
              class="article-image"
              src={`/api/v2/files/${article.image.id}?w=960`}
              alt=""
              width={Number(article.image.size?.split('x')[0]) || 16}
              height={Number(article.image.size?.split('x')[1]) || 9}
            />
          )}
          <Text tree={article.content_tree} raw={article.content} name={`news-${article.id}`} />
          <footer class="actions">
            <Action
              icon={Heart}
              kind="like"
              label={t.like}
              count={article.digg_count}
              isOn={article.has_like}
              onClick={like}
            />
            <Reward
              purpose={`news/${article.id}`}
              count={Number(article.reward.count)}
              send={(body, headers) =>
                api.post('/news/{news}/new-rewards', { params, body, headers } as never)
              }
              onDone={() => void cache.invalidateQueries({ queryKey: ['/news/{news}'] })}
            />
            <Action
              icon={Bookmark}
              kind="collect"
              label={t.collect}
              isOn={article.has_collect}
              onClick={collect}
            />
            {viewer?.id === article.user_id && (
              <Pin
                purpose={`news/${article.id}`}
                average={['/news/average', 'news']}
                send={(body, headers) =>
                  api.post('/news/{news}/currency-pinneds', { params, body, headers } as never)
                }
                onDone={() => void cache.invalidateQueries({ queryKey: ['/news/{news}'] })}
              />
            )}
            {viewer?.id !== article.user_id && (
              <Report
                place={`article/${article.id}`}
                send={(reason) => api.post('/news/{news}/reports', { params, body: { reason } })}
              />
            )}
          </footer>
          <Supporters path={`/news/${article.id}`} likes={article.digg_count} />
        </article>
        {related.length > 0 && (
          <aside class="article" aria-label={t.related}>
            <h2>{t.related}</h2>
            <ul class="rows">
              {related.map(({ id, title }) => (
                <li key={id}>
                  <Link {...said(title)} href={`/news/${id}`}>
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </aside>
        )}
        <Comments kind="news" id={article.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})
