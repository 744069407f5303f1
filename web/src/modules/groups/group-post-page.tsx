import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { Bookmark, Heart } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useSite } from '../../app/site.ts'
import { authorship } from '../../app/structured.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Byline } from '../../ui/byline.tsx'
import { Pin } from '../../ui/pin.tsx'
import { summaryOf } from '../../ui/preview.tsx'
import { Remove } from '../../ui/remove.tsx'
import { Report } from '../../ui/report.tsx'
import { Revise } from '../../ui/revise.tsx'
import { Reward } from '../../ui/reward.tsx'
import { Supporters } from '../../ui/supporters.tsx'
import { Text } from '../../ui/text.tsx'
import { Action, useToggle } from '../../ui/toggle.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'

const WORDS = words({
  like: ['Like', '点赞'],
  collect: ['Save', '收藏'],
  excellent: ['Mark as excellent', '设为精选'],
  plain: ['Remove excellent mark', '取消精选'],
})

type Post = Schema<'GroupPost'>

const idOf = ({ params }: Visit) => Number(params.post)
const postOf = (visit: Visit) =>
  read('/groups/{group}/posts/{post}', {
    params: {
      path: { group: Number(visit.params.group), post: idOf(visit) },
      query: { trees: true },
    },
  })

export const page = definePage({
  queries: (visit) => [postOf(visit), commentsOf('group-posts', idOf(visit), visit.search)],
  head: (visit, known) => {
    const post = known.one(postOf(visit))
    const [picture] = post.images
    const image = picture && `${visit.origin}/api/v2/files/${picture.id}?w=960`
    return {
      title: post.title,
      description: post.summary,
      canonical: visit.path,
      type: 'article',
      isPrivate: post.group?.mode !== 'public',
      ...(image ? { image: { url: image, alt: post.title } } : {}),
      data: {
        '@type': 'DiscussionForumPosting',
        headline: post.title,
        text: post.summary,
        url: `${visit.origin}${visit.path}`,
        ...authorship(post, visit),
        ...(image ? { image } : {}),
        commentCount: post.comments_count,
      },
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { api, viewer } = useSite()
    const cache = useQueryClient()
    const [, navigate] = useLocation()
    const { fail } = useToast()
    const { data: post } = useRead(postOf(visit))
    const params = { path: { post: idOf(visit) } }
    const isOne = (each: object): each is Post =>
      'group_id' in each && 'collected' in each && (each as Post).id === idOf(visit)
    const like = useToggle(isOne, {
      isOn: post?.liked ?? false,
      on: (api) => api.post('/group-posts/{post}/likes', { params }),
      off: (api) => api.delete('/group-posts/{post}/likes', { params }),
      apply: (each, isOn) => ({ ...each, liked: isOn, likes_count: each.likes_count + (isOn ? 1 : -1) }),
    })
    const collect = useToggle(isOne, {
      isOn: post?.collected ?? false,
      on: (api) => api.post('/group-posts/{post}/collections', { params }),
      off: (api) => api.delete('/group-posts/{post}/uncollect', { params }),
      apply: (each, isOn) => ({ ...each, collected: isOn }),
    })
    if (!post) return null
    const place = { path: { group: post.group_id, post: post.id } }
    const isMine = viewer?.id === post.user_id
    const { joined } = post.group ?? {}
    const isManager = joined?.audit === 1 && joined.role !== 'member'
    const refresh = () => {
      for (const path of ['/groups/{group}/posts/{post}', '/groups/{group}/posts', '/groups/{group}'])
        void cache.invalidateQueries({ queryKey: [path] })
    }
    return (
      <>
        <article class="article">
          {post.group && (
            <p class="quiet">
              <Link dir="auto" href={`/groups/${post.group_id}`}>
                {post.group.name}
              </Link>
            </p>
          )}
          <h1 {...said(post.title)}>{post.title}</h1>
          <Byline person={post.user} time={post.created_at} />
          <Text tree={post.body_tree} raw={post.body} name={`post-${post.id}`} />
          <footer class="actions">
            <Action
              icon={Heart}
              kind="like"
              label={t.like}
              count={post.likes_count}
              isOn={post.liked}
              onClick={like}
            />
            {viewer?.id !== post.user_id && (
              <Reward
                purpose={`group-posts/${post.id}`}
                count={post.reward_number}
                send={(body, headers) =>
                  api.post('/group-posts/{post}/new-rewards', { params, body, headers } as never)
                }
                onDone={refresh}
              />
            )}
            <Action
              icon={Bookmark}
              kind="collect"
              label={t.collect}
              isOn={post.collected}
              onClick={collect}
            />
            {isMine && (
              <Revise
                place={`group-post/${post.id}`}
                title={post.title}
                text={post.body}
                send={async ({ title, text }) => {
                  await api.put('/groups/{group}/posts/{post}', {
                    params: place,
                    body: { title, body: text, summary: await summaryOf(api, text) },
                  })
                  refresh()
                }}
              />
            )}
            {isMine && joined && (
              <Pin
                purpose={`group-posts/${post.id}`}
                average={['/plus-group/average', 'post']}
                send={(body, headers) =>
                  api.post('/currency-pinned/posts/{post}', { params, body, headers } as never)
                }
                onDone={refresh}
              />
            )}
            {isManager && (
              <button
                type="button"
                class="text-button"
                onClick={() => api.put('/posts/{post}/toggle-excellent', { params }).then(refresh, fail)}
              >
                {post.excellent_at ? t.plain : t.excellent}
              </button>
            )}
            {(isMine || isManager) && (
              <Remove
                send={() => api.delete('/groups/{group}/posts/{post}', { params: place })}
                onDone={() => {
                  refresh()
                  navigate(`/groups/${post.group_id}`)
                }}
              />
            )}
            {!isMine && (
              <Report
                place={`group-post/${post.id}`}
                send={(reason) => api.post('/reports/posts/{post}', { params, body: { content: reason } })}
              />
            )}
          </footer>
          <Supporters path={`/group-posts/${post.id}`} likes={post.likes_count} />
        </article>
        <Comments kind="group-posts" id={post.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})
