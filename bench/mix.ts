import { addRoles } from '#modules/abilities/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import type { Sql } from '#platform/database'
import type { Drawn } from './mix-driver.ts'
import type { Range } from './operations.ts'
import type { Ranges } from './requests.ts'

type Member = { id: number; token: string }
const MEMBERS = 300
const FOLLOWED = 40

export async function fillForMix(
  sql: Sql,
  { people }: Ranges,
): Promise<{ members: Member[]; relations: string[] }> {
  await sql`
    with pictured as (
      update feeds set has_images = true where id % 3 = 0 and not has_images returning id
    )
    insert into feed_images (feed_id, position, file, size, mime)
    select id, n, id * 4 + n, '1200x800', 'image/jpeg' from pictured cross join generate_series(0, 2) n where n <= id % 2 + 1
    on conflict do nothing`
  const ids = Array.from(
    { length: MEMBERS },
    (_, n) => people.from + Math.floor((n * people.count) / MEMBERS),
  )
  await sql`
    insert into user_follows (user_id, target_id)
    select m, ${people.from} + (m * 31 + n * n * 7) % ${people.count}
    from unnest(${ids}::bigint[]) m cross join generate_series(1, ${FOLLOWED}) n
    where m <> ${people.from} + (m * 31 + n * n * 7) % ${people.count}
    on conflict do nothing`
  // Recounts follows, because the statement above does not change the counters.
  await sql`
    update user_counts c set
      followings_count = (select count(*) from user_follows f where f.user_id = c.user_id),
      followers_count = (select count(*) from user_follows f where f.target_id = c.user_id)
    where c.user_id = any(${ids})
      or c.user_id in (select target_id from user_follows where user_id = any(${ids}))`
  await sql.unsafe('analyze feeds, feed_images, user_follows')
  const members: Member[] = []
  for (const id of ids) {
    await addRoles(sql, id, ['owner'])
    members.push({ id, token: (await issueToken(sql, id)).access_token })
  }
  const tokens = members.map(({ id }) => id)
  await sql`
    update tokens set expires_at = now() + interval '1 day', refresh_until = now() + interval '2 days'
    where user_id = any(${tokens})`
  const relations = await sql<{ relation: string }[]>`
    select user_id || ' /user/followings/' || target_id as relation from user_follows where user_id = any(${ids})
    union all select user_id || ' /user/feed-topics/' || topic_id from feed_topic_users
      where user_id = any(${ids}) and followed_at is not null
    union all select user_id || ' like /feeds/' || likeable_id from likes
      where user_id = any(${ids}) and likeable_type = 'feeds'
    union all select user_id || ' collect /feeds/' || collectible_id from collections
      where user_id = any(${ids}) and collectible_type = 'feeds'`
  return { members, relations: relations.map(({ relation }) => relation) }
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Weighted<T> = readonly (readonly [weight: number, T])[]
type Made = [method: string, path: string, body?: object]

/**
 * Returns a function that draws random requests. The k-th most popular row has a frequency proportional to
 * 1/k.
 */
export function mixOf(site: {
  ranges: Ranges
  members: Member[]
  relations: string[]
  writes: number
  guests: number
  seed: number
  only?: string
}): () => Drawn {
  const { ranges, members } = site
  const isRead = new RegExp(site.only ?? '')
  const random = randomOf(site.seed)
  const popular = ({ from, count }: Range) => from + Math.floor((count + 1) ** random()) - 1
  const newest = ({ from, count }: Range) => from + count - Math.floor((count + 1) ** random())
  const made = new Set(site.relations)
  const toggle = (member: Member, key: string, on: Made, off: Made): Made => {
    const relation = `${member.id} ${key}`
    if (made.delete(relation)) return off
    made.add(relation)
    return on
  }
  // Numbers texts and feed marks from the current time, so that they stay unique across runs on one database.
  let serial = Date.now()

  const reads: Weighted<[string, () => string]> = [
    [20, ['feeds new', () => '/feeds?type=new']],
    [8, ['feeds hot', () => '/feeds?type=hot']],
    [25, ['feed', () => `/feeds/${newest(ranges.feeds)}`]],
    [15, ['feed comments', () => `/feeds/${newest(ranges.feeds)}/comments`]],
    [3, ['topics', () => '/feed/topics']],
    [4, ['topic', () => `/feed/topics/${popular(ranges.topics)}`]],
    [8, ['topic feeds', () => `/feed/topics/${popular(ranges.topics)}/feeds`]],
    [5, ['feeds of a person', () => `/feeds?type=users&user=${popular(ranges.people)}`]],
    [6, ['person', () => `/users/${popular(ranges.people)}`]],
    [2, ['articles', () => '/news']],
    [2, ['article', () => `/news/${newest(ranges.news)}`]],
    [1, ['article comments', () => `/news/${newest(ranges.news)}/comments`]],
    [1, ['answers', () => `/questions/${newest(ranges.questions)}/answers`]],
  ]
  const own: Weighted<[string, () => string]> = [
    [10, ['own statistics', () => '/user/notification-statistics']],
    [6, ['own timeline', () => '/feeds?type=follow']],
    [3, ['own notifications', () => '/user/notifications?type=comment']],
  ]
  const writes: Weighted<[string, (member: Member) => Made]> = [
    [
      45,
      [
        'like',
        (member) => {
          const path = `/feeds/${newest(ranges.feeds)}`
          return toggle(member, `like ${path}`, ['POST', `${path}/like`], ['DELETE', `${path}/unlike`])
        },
      ],
    ],
    [
      20,
      [
        'comment',
        () => ['POST', `/feeds/${newest(ranges.feeds)}/comments`, { body: `What I think, number ${serial}` }],
      ],
    ],
    [
      10,
      [
        'publish',
        () => [
          'POST',
          '/feeds',
          { feed_content: `What happened, number ${serial}`, feed_from: 1, feed_mark: `site-${serial}` },
        ],
      ],
    ],
    [
      10,
      [
        'follow',
        (member) => {
          const path = `/user/followings/${popular(ranges.people)}`
          const target = path === `/user/followings/${member.id}` ? `/user/followings/${member.id + 1}` : path
          return toggle(member, target, ['PUT', target], ['DELETE', target])
        },
      ],
    ],
    [7, ['mark read', () => ['PATCH', '/user/notifications', { type: 'comment' }]]],
    [
      3,
      [
        'follow topic',
        (member) => {
          const path = `/user/feed-topics/${popular(ranges.topics)}`
          return toggle(member, path, ['PUT', path], ['DELETE', path])
        },
      ],
    ],
    [
      3,
      [
        'collect',
        (member) => {
          const path = `/feeds/${newest(ranges.feeds)}`
          return toggle(
            member,
            `collect ${path}`,
            ['POST', `${path}/collections`],
            ['DELETE', `${path}/uncollect`],
          )
        },
      ],
    ],
    [
      2,
      [
        'answer',
        () => [
          'POST',
          `/questions/${newest(ranges.questions)}/answers`,
          { body: `It is so, number ${serial}` },
        ],
      ],
    ],
  ]
  const pick = <T>(weighted: Weighted<T>): T => {
    const total = weighted.reduce((sum, [weight]) => sum + weight, 0)
    let left = random() * total
    for (const [weight, value] of weighted) {
      left -= weight
      if (left < 0) return value
    }
    return weighted.at(-1)![1]
  }

  const only = <T>(kinds: Weighted<[string, T]>) => kinds.filter(([, [kind]]) => isRead.test(kind))
  const [readsDrawn, ownDrawn] = [only(reads), only(own)]
  return () => {
    serial += 1
    const member = members[Math.floor(random() * members.length)]!
    if (random() < site.writes) {
      const [kind, write] = pick(writes)
      const [method, path, body] = write(member)
      return { kind: `write: ${kind}`, method, path, token: member.token, body }
    }
    const isGuest = random() < site.guests
    const [kind, read] = pick(!isGuest && ownDrawn.length > 0 && random() < 0.2 ? ownDrawn : readsDrawn)
    return { kind, method: 'GET', path: read(), token: isGuest ? undefined : member.token, body: undefined }
  }
}
