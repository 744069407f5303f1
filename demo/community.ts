import { createUser } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import type { Chance } from './chance.ts'
import { ahead, type Scene } from './pictures/photographs.ts'
import type { Person, Site } from './site.ts'
import type { Story } from './story.ts'
import { FEEDS, type Language, PEOPLE, REMARKS, TOPICS } from './words.ts'

export type Member = Person & { speaks: Language }

export type Studio = {
  portrait(chance: Chance): Promise<Buffer>
  emblem(chance: Chance, scene: Scene): Promise<Buffer>
  tune(chance: Chance, seconds: number): Buffer
}

export type Community = {
  site: Site
  story: Story
  chance: Chance
  root: Person
  members: Member[]
  topics: Map<string, number>
  feeds: { id: number; at: number; author: Member; comments: { id: number; author: Member }[] }[]
  draw: Studio
  apply(person: {
    name: string
    email: string
    verified: boolean
    waiting: { introduction: string | null }
  }): Promise<number>
  photograph(person: Person, scene: Scene): Promise<number>
}

export const KNOWN = {
  administrator: 'demo_admin',
  moderator: 'demo_mod',
  member: 'demo',
} as const

export async function createMembers(
  ctx: Context,
  site: Site,
  password: string,
): Promise<{ root: Person; members: Member[] }> {
  const known = [
    { name: KNOWN.administrator, roles: ['founder', 'owner'] },
    { name: KNOWN.moderator, roles: ['owner'] },
    { name: KNOWN.member, roles: ['owner'] },
  ]
  const make = async (name: string, roles: string[], hash: string | null) => {
    const id = await transaction(ctx.sql, (tx) => createUser(tx, { name, password: hash, roles }))
    return site.signIn(id, name)
  }
  const made: Person[] = []
  for (const { name, roles } of known) made.push(await make(name, roles, password))
  const members: Member[] = []
  for (const { name, speaks } of PEOPLE) members.push({ ...(await make(name, ['owner'], null)), speaks })
  const [root, ...others] = made as [Person, Person, Person]
  return { root, members: [...others.map((each) => ({ ...each, speaks: 'en' as const })), ...members] }
}

export function introduce({ site, story, chance, members, draw }: Community): void {
  const portraits = chance.fork('portraits')
  for (const [n, member] of members.entries()) {
    const described = PEOPLE[n - 2]
    const at = story.sometime(n * 400, n * 400 + 1400)
    const portrait = ahead(draw.portrait(portraits.fork(member.name)))
    story.at(at, async () => {
      const avatar = await site.uploadNode(member, await portrait, 'portrait.png')
      const { bio, location, sex } = described ?? {
        bio: 'Here to show you around.',
        location: 'Everywhere',
        sex: 0,
      }
      await site.as(member, 'PATCH', '/user', { avatar, bio, location, sex })
    })
    for (const other of chance.some(members, chance.between(4, 10)))
      if (other !== member)
        story.aside(story.sometime(at + 60, story.minutes), () =>
          site.as(member, 'PUT', `/user/followings/${other.id}`),
        )
  }
}

export function converse(community: Community): void {
  const { site, story, chance, members, topics, feeds, draw } = community
  for (const [n, [word, { name, description, scene }]] of Object.entries(TOPICS).entries()) {
    const emblem = ahead(draw.emblem(chance.fork(name), scene))
    story.at(200 + n * 37, async () => {
      const founder = members[n + 2]!
      const logo = await site.uploadNode(founder, await emblem, 'topic.jpg')
      topics.set(word, (await site.as(founder, 'POST', '/feed/topics', { name, desc: description, logo })).id)
    })
  }
  const readers = (language: Language) => members.filter((member) => member.speaks === language)
  for (const word of Object.keys(TOPICS))
    for (const member of chance.some(members, chance.between(6, 16)))
      story.aside(story.sometime(900, story.minutes * 0.8), () =>
        site.as(member, 'PUT', `/user/feed-topics/${topics.get(word)}`),
      )
  for (const [n, told] of FEEDS.entries()) {
    const author = chance.one(readers(told.speaks))
    const at = story.sometime(
      ((n + 0.2) / FEEDS.length) * story.minutes,
      ((n + 0.9) / FEEDS.length) * story.minutes,
    )
    const feed: Community['feeds'][number] = { id: 0, at, author, comments: [] }
    feeds.push(feed)
    story.at(at, async () => {
      const images: { id: number }[] = []
      for (const scene of told.scenes) images.push({ id: await community.photograph(author, scene) })
      const made = await site.as(author, 'POST', '/feeds', {
        feed_content: told.text,
        feed_from: chance.between(1, 5),
        feed_mark: 1_000 + n,
        images,
        topics: told.topics.map((word) => topics.get(word)!),
      })
      feed.id = made.id
    })
    const others = chance.some(
      readers(told.speaks).filter((member) => member !== author),
      6,
    )
    const remarks = chance.some(REMARKS[told.speaks], chance.between(0, 3))
    for (const [r, body] of [...told.replies, ...remarks].entries()) {
      const isAnswer = r % 2 === 1 && r < told.replies.length && told.replies.length > 2
      const who = isAnswer ? author : others[r % others.length]!
      const whom = isAnswer ? others[(r - 1) % others.length] : undefined
      story.at(at + 4 + r * chance.between(7, 90), async () => {
        const { comment } = await site.as(who, 'POST', `/feeds/${feed.id}/comments`, {
          body,
          ...(whom ? { reply_user: whom.id } : {}),
        })
        feed.comments.push({ id: comment.id, author: who })
      })
    }
    for (const fan of chance.some(members, chance.between(3, 16)))
      if (fan !== author)
        story.aside(at + chance.between(2, 2_500), () => site.as(fan, 'POST', `/feeds/${feed.id}/like`))
    for (const keeper of chance.some(others, chance.between(0, 3)))
      story.aside(at + chance.between(20, 4_000), () =>
        site.as(keeper, 'POST', `/feeds/${feed.id}/collections`),
      )
  }
}
