import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useSite } from '../../app/site.ts'
import { acceptOf, checkFile } from '../../app/uploads.ts'
import { compact, plural, useWords, words } from '../../app/words.ts'
import { Chunks } from '../../ui/chunks.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { More } from '../../ui/more.tsx'
import { Report } from '../../ui/report.tsx'
import { useToggle } from '../../ui/toggle.tsx'
import { FeedCard } from '../feeds/feed-card.tsx'

const WORDS = words({
  follow: ['Follow', '关注'],
  following: ['Following', '已关注'],
  counts: [
    (feeds: number, followers: number) =>
      `${plural(feeds, 'post', compact(feeds, 'en'))} · ${plural(followers, 'follower', compact(followers, 'en'))}`,
    (feeds: number, followers: number) =>
      `${compact(feeds, 'zh')} 条动态 · ${compact(followers, 'zh')} 人关注`,
  ],
  people: ['Participants', '参与者'],
  edit: ['Edit topic', '编辑话题'],
  about: ['Description', '简介'],
  logo: ['Picture', '图片'],
  save: ['Save', '保存'],
  none: ['No posts yet.', '还没有动态。'],
  description: [(name: string) => `Posts about ${name}`, (name: string) => `关于 ${name} 的动态`],
})

type Topic = Schema<'Topic'>

const idOf = ({ params }: Visit) => Number(params.topic)
const topicOf = (visit: Visit) =>
  read('/feed/topics/{topicID}', { params: { path: { topicID: idOf(visit) } } })
const feedsOf = (visit: Visit) =>
  list('/feed/topics/{topicID}/feeds', {
    params: {
      path: { topicID: idOf(visit) },
      query: { ...startOf(visit.search), trees: true } as never,
    },
  })

export const page = definePage({
  queries: (visit) => [topicOf(visit), feedsOf(visit)],
  head: (visit, known) => {
    const { name, desc, logo } = known.one(topicOf(visit))
    return {
      title: `#${name}`,
      description: desc || WORDS[visit.language].description(name),
      canonical: visit.path,
      atom: `${visit.path}/feeds.atom`,
      ...(logo ? { image: { url: logo.url, alt: name } } : {}),
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { data: topic } = useRead(topicOf(visit))
    const feeds = useList(feedsOf(visit))
    const params = { path: { topicID: idOf(visit) } }
    const follow = useToggle(
      (each: object): each is Topic => 'has_followed' in each && (each as Topic).id === idOf(visit),
      {
        isOn: topic?.has_followed ?? false,
        on: (api) => api.put('/user/feed-topics/{topicID}', { params }),
        off: (api) => api.delete('/user/feed-topics/{topicID}', { params }),
        apply: (each, isOn) => ({
          ...each,
          has_followed: isOn,
          followers_count: each.followers_count + (isOn ? 1 : -1),
        }),
      },
    )
    const { api, viewer, settings } = useSite()
    const [isEditing, setIsEditing] = useState(false)
    const edit = useWrite<{ desc: string | null; logo?: string }>(
      (client, body) => client.patch('/feed/topics/{topicID}', { params, body }),
      { changes: ['/feed/topics/{topicID}', '/feed/topics'] },
    )
    if (!topic) return null
    const isMine = viewer !== null && topic.creator_user_id === viewer.id
    return (
      <>
        <header class="article">
          <div class="page-row">
            <h1 {...said(topic.name)}>#{topic.name}</h1>
            <button
              type="button"
              class={topic.has_followed ? 'button is-quiet' : 'button'}
              aria-pressed={topic.has_followed ?? false}
              onClick={follow}
            >
              {topic.has_followed ? t.following : t.follow}
            </button>
          </div>
          {topic.desc && <p {...said(topic.desc)}>{topic.desc}</p>}
          <p class="quiet">
            {t.counts(topic.feeds_count, topic.followers_count)} ·{' '}
            <Link href={`${visit.path}/people`}>{t.people}</Link>
          </p>
          {isMine ? (
            <p>
              <button type="button" class="text-button" onClick={() => setIsEditing(true)}>
                {t.edit}
              </button>
            </p>
          ) : (
            <Report
              place={`topic/${topic.id}`}
              send={(message) => api.put('/user/report-feed-topics/{topicID}', { params, body: { message } })}
            />
          )}
        </header>
        {isEditing && (
          <Dialog title={t.edit} onClose={() => setIsEditing(false)}>
            <Form
              label={t.save}
              draft={`topic/${topic.id}`}
              send={async (_, form) => {
                const given = new FormData(form)
                const file = given.get('logo') as File
                if (file.size > 0) checkFile(file, settings, 'node')
                const logo = file.size > 0 ? await api.uploadNode(file, { name: file.name }) : undefined
                await edit.mutateAsync({
                  desc: String(given.get('desc')) || null,
                  ...(logo === undefined ? {} : { logo }),
                })
                setIsEditing(false)
              }}
            >
              <label>
                {t.about}
                <textarea dir="auto" name="desc" rows={3} maxLength={500} defaultValue={topic.desc ?? ''} />
              </label>
              <Field label={t.logo} name="logo" type="file" accept={acceptOf(settings, 'node')} />
            </Form>
          </Dialog>
        )}
        <Chunks
          items={feeds.items}
          keyOf={({ id }) => `${visit.path} ${id}`}
          render={(feed) => <FeedCard key={feed.id} feed={feed} />}
        />
        {feeds.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={feeds} path={visit.path} />
      </>
    )
  },
})
