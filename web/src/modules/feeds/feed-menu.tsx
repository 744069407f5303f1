import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { Ellipsis } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { read, remove, useRead, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Pay } from '../../ui/pay.tsx'
import { PinDialog } from '../../ui/pin.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'
import { isFeed } from './feed-card.tsx'

const WORDS = words({
  menu: ['More', '更多'],
  delete: ['Delete', '删除'],
  deleted: ['Deleted.', '已删除。'],
  sure: ['Delete this post permanently?', '确定要永久删除这条动态吗？'],
  console: ['Open in the console', '在管理后台打开'],
  report: ['Report', '举报'],
  reason: ['Reason for the report', '举报原因'],
  reported: ['Thank you for the report. Moderators will review it.', '感谢举报，管理员会尽快处理。'],
  repost: ['Repost', '转发'],
  say: ['Your comment (optional)', '说点什么（可选）'],
  reposted: ['Reposted.', '已转发。'],
  reward: ['Reward', '打赏'],
  amount: ['Points', '积分'],
  pin: ['Pin', '置顶'],
})

type Opened = 'repost' | 'reward' | 'pin' | 'report' | null

export function FeedMenu({ feed }: { feed: Schema<'Feed'> }) {
  const t = useWords(WORDS)
  const { api, viewer, settings } = useSite()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const { say, fail } = useToast()
  const [opened, setOpened] = useState<Opened>(null)
  const [isSeen, setIsSeen] = useState(false)
  const confirm = useConfirm()
  const { data: abilities = [] } = useRead(read('/user/abilities'), { enabled: isSeen })
  const can = (ability: string) => abilities.some(({ name }) => name === ability)
  const params = { path: { feed: feed.id } }
  const erase = useWrite((client) => client.delete('/feeds/{feed}/currency', { params }))
  const changed = () => {
    setOpened(null)
    void cache.invalidateQueries({ queryKey: ['/feeds'] })
    void cache.invalidateQueries({ queryKey: ['/feeds/{feed}'] })
  }
  if (!viewer) return null
  const isMine = viewer.id === feed.user_id
  const item = (label: string, act: () => unknown) => (
    <button type="button" onClick={act}>
      {label}
    </button>
  )
  return (
    <>
      <Menu label={t.menu} button={<Ellipsis size={20} aria-hidden />} onOpen={() => setIsSeen(true)}>
        {item(t.repost, () => setOpened('repost'))}
        {!isMine && settings.feed.reward !== false && item(t.reward, () => setOpened('reward'))}
        {isMine && item(t.pin, () => setOpened('pin'))}
        {!isMine && item(t.report, () => setOpened('report'))}
        {(isMine || can('[feed] Delete Feed')) &&
          item(t.delete, async () => {
            if (!(await confirm(t.sure, t.delete))) return
            erase.mutate(undefined, {
              onSuccess: () => {
                remove(cache, isFeed(feed.id))
                say(t.deleted)
                if (path.startsWith('/feeds/')) navigate('/')
              },
              onError: fail,
            })
          })}
        {can('admin: feeds') && <a href={`/admin/feeds/${feed.id}/show`}>{t.console}</a>}
      </Menu>
      {opened === 'report' && (
        <Ask
          title={t.report}
          label={t.reason}
          place={`report/feed/${feed.id}`}
          onClose={() => setOpened(null)}
          send={async (reason) => {
            await api.post('/feeds/{feed}/reports', { params, body: { reason } })
            setOpened(null)
            say(t.reported)
          }}
        />
      )}
      {opened === 'repost' && <Repost feed={feed.id} onDone={changed} onClose={() => setOpened(null)} />}
      {opened === 'reward' && (
        <Pay
          title={t.reward}
          fields={[{ name: 'amount', label: t.amount, least: 1 }]}
          price={({ amount = 0 }) => amount}
          pay={({ amount, password, headers }) =>
            api.post('/feeds/{feed}/new-rewards', { params, body: { amount, ...password }, headers } as never)
          }
          onDone={changed}
          onClose={() => setOpened(null)}
        />
      )}
      {opened === 'pin' && (
        <PinDialog
          average={['/feeds/average', 'feed']}
          send={(body, headers) =>
            api.post('/feeds/{feed}/currency-pinneds', { params, body, headers } as never)
          }
          onDone={changed}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

function Ask({
  title,
  label,
  place,
  send,
  onClose,
  isRepost,
}: {
  title: string
  label: string
  place: string
  send(text: string, mark: string): Promise<unknown>
  onClose(): void
  isRepost?: boolean
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form label={title} draft={place} send={({ text = '' }, _form, mark) => send(text.trim(), mark)}>
        {isRepost ? (
          <WritingArea label={label} name="text" rows={3} maxLength={255} />
        ) : (
          <label>
            {label}
            <textarea name="text" dir="auto" rows={3} maxLength={255} required />
          </label>
        )}
      </Form>
    </Dialog>
  )
}

type Window = { feed: number; onDone(): void; onClose(): void }

function Repost({ feed, onDone, onClose }: Window) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say } = useToast()
  return (
    <Ask
      title={t.repost}
      label={t.say}
      place={`repost/${feed}`}
      isRepost
      onClose={onClose}
      send={async (text, mark) => {
        const body = {
          feed_content: text || t.repost,
          feed_from: 1,
          feed_mark: mark,
          repostable_type: 'feeds' as const,
          repostable_id: feed,
        }
        await api.post('/feeds', { body })
        say(t.reposted)
        onDone()
      }}
    />
  )
}
