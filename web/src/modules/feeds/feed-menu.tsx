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
import { useDialogLater } from '../../ui/dialog-later.ts'
import { Menu } from '../../ui/menu.tsx'
import { isFeed } from './feed-card.tsx'
import type { Opened } from './feed-dialogs.tsx'

const WORDS = words({
  menu: ['More', '更多'],
  delete: ['Delete', '删除'],
  deleted: ['Deleted.', '已删除。'],
  sure: ['Delete this post permanently?', '确定要永久删除这条动态吗？'],
  console: ['Open in the console', '在管理后台打开'],
  report: ['Report', '举报'],
  repost: ['Repost', '转发'],
  reward: ['Reward', '打赏'],
  pin: ['Pin', '置顶'],
  mute: [(name: string) => `Mute ${name}`, (name: string) => `屏蔽 ${name}`],
  muted: [
    (name: string) => `You no longer see posts of ${name} in lists.`,
    (name: string) => `你将不再在列表中看到 ${name} 的动态。`,
  ],
})

export function FeedMenu({ feed }: { feed: Schema<'Feed'> }) {
  const t = useWords(WORDS)
  const { viewer, settings } = useSite()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const { say, fail } = useToast()
  const dialog = useDialogLater(() => import('./feed-dialogs.tsx'))
  const [opened, setOpened] = useState<Opened>('repost')
  const show = (next: Opened) => {
    setOpened(next)
    return dialog.open()
  }
  const [isSeen, setIsSeen] = useState(false)
  const confirm = useConfirm()
  const { data: abilities = [] } = useRead(read('/user/abilities'), { enabled: isSeen })
  const can = (ability: string) => abilities.some(({ name }) => name === ability)
  const params = { path: { feed: feed.id } }
  const erase = useWrite((client) => client.delete('/feeds/{feed}/currency', { params }))
  const author = feed.user
  const mute = useWrite<number>(
    (client, user) => client.put('/user/mutes/{user}', { params: { path: { user } }, body: {} }),
    { changes: ['/feeds', '/user/mutes', '/user/relations/{user}'] },
  )
  const changed = () => {
    dialog.close()
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
        {item(t.repost, () => show('repost'))}
        {!isMine && settings.feed.reward !== false && item(t.reward, () => show('reward'))}
        {isMine && item(t.pin, () => show('pin'))}
        {!isMine && item(t.report, () => show('report'))}
        {!isMine &&
          author &&
          item(t.mute(author.name), () =>
            mute.mutate(author.id, { onSuccess: () => say(t.muted(author.name)), onError: fail }),
          )}
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
      {dialog.shown && (
        <dialog.shown.FeedDialog feed={feed} opened={opened} onDone={changed} onClose={dialog.close} />
      )}
    </>
  )
}
