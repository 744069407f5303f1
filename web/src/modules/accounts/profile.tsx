import type { Schema } from '@kith/client'
import { Ellipsis, MessageCircle } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { list, read, useList, useRead, useWrite } from '../../app/api.ts'
import { useSaid } from '../../app/said.ts'
import { useSite, useViewer } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { compact, pluralOf, useWords, words } from '../../app/words.ts'
import { Chunks } from '../../ui/chunks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { More } from '../../ui/more.tsx'
import { Avatar } from '../../ui/picture.tsx'
import { Report } from '../../ui/report.tsx'
import { Time } from '../../ui/time.tsx'
import { useToggle } from '../../ui/toggle.tsx'
import { FeedCard } from '../feeds/feed-card.tsx'
import { chatsOf } from '../im/unread.ts'

const WORDS = words({
  follow: ['Follow', '关注'],
  following: ['Following', '已关注'],
  ask: ['Request to follow', '申请关注'],
  asked: ['Requested', '已申请'],
  private: ['Only followers see the posts of this person.', '仅关注者可见其动态。'],
  asksYou: ['Asks to follow you', '申请关注你'],
  accept: ['Accept', '同意'],
  refuse: ['Refuse', '拒绝'],
  write: ['Write a message', '发私信'],
  followsYou: ['Follows you', '关注了你'],
  block: ['Block', '拉黑'],
  unblock: ['Unblock', '取消拉黑'],
  edit: ['Edit profile', '编辑资料'],
  menu: ['More', '更多'],
  muteDay: ['Mute for a day', '屏蔽一天'],
  muteWeek: ['Mute for a week', '屏蔽一周'],
  mute: ['Mute', '屏蔽'],
  unmute: ['Unmute', '取消屏蔽'],
  muted: ['You muted this user. They do not know.', '你已屏蔽该用户，对方不会知道。'],
  mutedUntil: [
    'You muted this user. They do not know. The mute ends:',
    '你已屏蔽该用户，对方不会知道。屏蔽结束时间：',
  ],
  followers: [(count: number) => pluralOf(count, 'follower'), () => '粉丝'],
  followings: [() => 'following', () => '关注'],
  feeds: [(count: number) => pluralOf(count, 'post'), () => '动态'],
  none: ['No posts yet.', '还没有动态。'],
})

type User = Schema<'User'>
const isUser =
  (id: number) =>
  (each: object): each is User =>
    'extra' in each && 'follower' in each && (each as User).id === id

export const feedsOf = (user: number, after?: number) =>
  list('/feeds', { params: { query: { type: 'users', user, trees: true, ...(after ? { after } : {}) } } })

const relationTo = (user: number) => read('/user/relations/{user}', { params: { path: { user } } })

export function Profile({ user, path, after }: { user: User; path: string; after?: number | undefined }) {
  const t = useWords(WORDS)
  const said = useSaid()
  const { api, language } = useSite()
  const viewer = useViewer()
  const [, navigate] = useLocation()
  const { fail } = useToast()
  const feeds = useList(feedsOf(user.id, after))
  // The menu has already loaded the conversations. An error means that the site has no chat.
  const { error } = useRead(chatsOf(), { enabled: false })
  const params = { path: { target: user.id } }
  /** In the API, `follower` means that the viewer follows the user (sign-in-9). */
  const follow = useToggle(isUser(user.id), {
    isOn: user.follower,
    on: (api) => api.put('/user/followings/{target}', { params }),
    off: (api) => api.delete('/user/followings/{target}', { params }),
    apply: (each, isOn) => ({ ...each, follower: isOn }),
  })
  const blockParams = { path: { user: user.id } }
  const block = useToggle(isUser(user.id), {
    isOn: user.blacked,
    on: (api) => api.post('/user/black/{user}', { params: blockParams }),
    off: (api) => api.delete('/user/black/{user}', { params: blockParams }),
    // A block ends the follows of both (relations-1).
    apply: (each, isOn) => ({
      ...each,
      blacked: isOn,
      follower: !isOn && each.follower,
      following: !isOn && each.following,
    }),
  })
  const isOther = viewer !== null && viewer?.id !== user.id
  const { data: relation } = useRead(relationTo(user.id), { enabled: isOther })
  const mute = useWrite<number | null | undefined>(
    (client, hours) =>
      hours === undefined
        ? client.delete('/user/mutes/{user}', { params: blockParams })
        : client.put('/user/mutes/{user}', { params: blockParams, body: hours === null ? {} : { hours } }),
    { changes: ['/user/relations/{user}', '/user/mutes', '/feeds'] },
  )
  const ask = useWrite<boolean>(
    (client, isAsked) =>
      isAsked
        ? client.delete('/user/followings/{target}', { params })
        : client.put('/user/followings/{target}', { params }),
    { changes: ['/user/relations/{user}'] },
  )
  const decide = useWrite<boolean>(
    (client, isAccepted) =>
      isAccepted
        ? client.put('/user/follow-requests/{user}', { params: blockParams })
        : client.delete('/user/follow-requests/{user}', { params: blockParams }),
    { changes: ['/user/relations/{user}', '/user/follow-requests', '/users/{user}'] },
  )
  const isRequest = relation?.private === true && !user.follower
  // Guests cannot read the relation. An empty list beside a count shows them that the account is private.
  const isClosed = isOther ? isRequest : viewer === null && after === undefined && user.extra.feeds_count > 0
  const muteItem = (label: string, hours: number | null | undefined) => (
    <button type="button" onClick={() => mute.mutate(hours, { onError: fail })}>
      {label}
    </button>
  )
  const counts: [number, string, string?][] = [
    [user.extra.feeds_count, t.feeds(user.extra.feeds_count)],
    [user.extra.followers_count, t.followers(user.extra.followers_count), 'followers'],
    [user.extra.followings_count, t.followings(), 'followings'],
  ]
  return (
    <>
      <header class="profile">
        {user.bg ? (
          <img class="cover" src={user.bg.url} alt="" width={1200} height={400} />
        ) : (
          <div class="cover" />
        )}
        <div class="profile-row">
          <Avatar person={user} size={96} />
          <div class="profile-actions">
            {viewer?.id === user.id ? (
              <Link class="button is-quiet" href="/settings">
                {t.edit}
              </Link>
            ) : (
              <>
                {viewer && error?.code !== 'chat_elsewhere' && (
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={t.write}
                    title={t.write}
                    onClick={() =>
                      api.chat.withPerson(user.id).then(({ id }) => navigate(`/chats/${id}`), fail)
                    }
                  >
                    <MessageCircle size={20} aria-hidden />
                  </button>
                )}
                {viewer && (
                  <button type="button" class="text-button" onClick={block}>
                    {user.blacked ? t.unblock : t.block}
                  </button>
                )}
                {viewer && (
                  <Menu label={t.menu} button={<Ellipsis size={20} aria-hidden />}>
                    {relation?.muted ? (
                      muteItem(t.unmute, undefined)
                    ) : (
                      <>
                        {muteItem(t.muteDay, 24)}
                        {muteItem(t.muteWeek, 168)}
                        {muteItem(t.mute, null)}
                      </>
                    )}
                  </Menu>
                )}
                {!user.blacked && (
                  <button
                    type="button"
                    class={user.follower ? 'button is-quiet' : 'button'}
                    aria-pressed={isRequest ? relation.requested : user.follower}
                    onClick={isRequest ? () => ask.mutate(relation.requested, { onError: fail }) : follow}
                  >
                    {isRequest
                      ? relation.requested
                        ? t.asked
                        : t.ask
                      : user.follower
                        ? t.following
                        : t.follow}
                  </button>
                )}
              </>
            )}
          </div>
        </div>
        <h1 dir="auto">{user.name}</h1>
        {user.following && <p class="quiet">{t.followsYou}</p>}
        {relation?.requests && (
          <fieldset class="request" aria-label={t.asksYou}>
            <span class="quiet">{t.asksYou}</span>
            <button type="button" class="button" onClick={() => decide.mutate(true, { onError: fail })}>
              {t.accept}
            </button>
            <button
              type="button"
              class="button is-quiet"
              onClick={() => decide.mutate(false, { onError: fail })}
            >
              {t.refuse}
            </button>
          </fieldset>
        )}
        {relation?.muted && (
          <p class="quiet">
            {relation.muted_until ? t.mutedUntil : t.muted}
            {relation.muted_until && (
              <>
                {' '}
                <Time at={relation.muted_until} form="full" />
              </>
            )}
          </p>
        )}
        {user.bio && (
          <p class="bio" {...said(user.bio)}>
            {user.bio}
          </p>
        )}
        {viewer?.id !== user.id && (
          <Report
            place={`user/${user.id}`}
            send={(reason) =>
              api.post('/report/users/{user}', { params: { path: { user: user.id } }, body: { reason } })
            }
          />
        )}
        <ul class="counts">
          {counts.map(([count, label, list]) => {
            const shown = (
              <>
                <b>{compact(count, language)}</b> {label}
              </>
            )
            return (
              <li key={label}>{list ? <Link href={`/users/${user.id}/${list}`}>{shown}</Link> : shown}</li>
            )
          })}
        </ul>
      </header>
      <Chunks
        items={feeds.items}
        keyOf={({ id }) => `${path} ${id}`}
        render={(feed) => <FeedCard key={feed.id} feed={feed} />}
      />
      {feeds.items.length === 0 && !feeds.isPending && (
        <p class="quiet is-centred">{isClosed ? t.private : t.none}</p>
      )}
      <More list={feeds} path={path} />
    </>
  )
}
