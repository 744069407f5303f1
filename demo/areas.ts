import type { Community, Member } from './community.ts'
import { ARTICLES, CATEGORIES, GROUPS, QUESTION_TOPICS, QUESTIONS, REMARKS, SONGS } from './words.ts'

export type Made = {
  articles: { id: number; author: Member; category: string }[]
  questions: { id: number; asker: Member }[]
  groups: { id: number; founder: Member; members: Member[]; posts: number[] }[]
  categories: Map<string, number>
  questionTopics: number[]
  tags: number[]
}

const SONG_SECONDS = 14

export function publish({ site, story, chance, root, members, photograph }: Community, made: Made): void {
  story.at(30, async () => {
    for (const [n, name] of CATEGORIES.entries())
      made.categories.set(
        name,
        (await site.as(root, 'POST', '/admin/news/categories', { name, rank: 10 - n })).id,
      )
  })
  for (const [n, article] of ARTICLES.entries()) {
    const author = chance.one(members.filter(({ speaks }) => speaks === article.speaks))
    const at = story.sometime(2_000 + n * 9_000, 8_000 + n * 9_000)
    const here = { id: 0, author, category: article.category }
    made.articles.push(here)
    story.at(at, async () => {
      const { id } = await site.as(root, 'POST', '/admin/news', {
        title: article.title,
        subject: article.subject,
        content: article.content,
        category_id: made.categories.get(article.category),
        image: await photograph(root, article.scene),
        user_id: author.id,
        author: author.name,
      })
      here.id = id
    })
    for (const who of chance.some(members, chance.between(5, 12))) {
      story.aside(at + chance.between(30, 6_000), () => site.as(who, 'POST', `/news/${here.id}/likes`))
      if (chance.happens(0.45))
        story.at(at + chance.between(60, 7_000), () =>
          site.as(who, 'POST', `/news/${here.id}/comments`, { body: chance.one(REMARKS[who.speaks]) }),
        )
    }
  }
}

export function makeMusic({ site, story, chance, root, members, photograph, draw }: Community): void {
  const singers = new Map<string, number>()
  const albums = new Map<string, number>()
  const tunes = chance.fork('tunes')
  for (const [n, song] of SONGS.entries()) {
    const at = story.sometime(1_500 + n * 5_000, 4_000 + n * 5_000)
    const here = { id: 0 }
    story.at(at, async () => {
      if (!singers.has(song.singer)) {
        const cover = await photograph(root, chance.one(['lights', 'city', 'sea']))
        singers.set(
          song.singer,
          (await site.as(root, 'POST', '/admin/music/singers', { name: song.singer, cover })).id,
        )
      }
      if (!albums.has(song.album)) {
        const storage = await photograph(root, chance.one(['stars', 'lights', 'meadow']))
        albums.set(
          song.album,
          (
            await site.as(root, 'POST', '/admin/music/specials', {
              title: song.album,
              intro: song.lyric,
              storage,
            })
          ).id,
        )
      }
      const { id } = await site.as(root, 'POST', '/admin/music/songs', {
        title: song.title,
        singer_id: singers.get(song.singer),
        storage: await site.upload(root, draw.tune(tunes.fork(song.title), SONG_SECONDS), 'song.wav'),
        last_time: SONG_SECONDS,
        lyric: song.lyric,
        specials: [albums.get(song.album)],
      })
      here.id = id
    })
    for (const who of chance.some(members, chance.between(3, 9))) {
      story.aside(at + chance.between(20, 9_000), () => site.as(who, 'POST', `/music/${here.id}/like`))
      if (chance.happens(0.3))
        story.at(at + chance.between(20, 9_000), () =>
          site.as(who, 'POST', `/music/${here.id}/comments`, { body: chance.one(REMARKS[who.speaks]) }),
        )
    }
  }
}

export function gather({ site, story, chance, root, members, photograph }: Community, made: Made): void {
  const categories = new Map<string, number>()
  for (const [n, told] of GROUPS.entries()) {
    const speaks = told.posts[0]!.speaks
    const founder = chance.one(members.filter((member) => member.speaks === speaks))
    const group: Made['groups'][number] = { id: 0, founder, members: [], posts: [] }
    made.groups.push(group)
    const at = 2_500 + n * 3_100
    story.at(at, async () => {
      if (!categories.has(told.category))
        categories.set(
          told.category,
          (await site.as(root, 'POST', '/admin/group-categories', { name: told.category })).id,
        )
      const { group: row } = await site.as(
        founder,
        'POST',
        `/categories/${categories.get(told.category)}/groups`,
        {
          name: told.name,
          summary: told.summary,
          mode: told.mode,
          ...(told.mode === 'paid' ? { money: 20 } : {}),
          avatar: await photograph(founder, told.scene),
          allow_feed: true,
        },
      )
      group.id = row.id
    })
    story.at(at + 400, () => site.as(root, 'PATCH', `/admin/groups/${group.id}`, { audit: 1 }))
    for (const who of chance.some(members, chance.between(6, 12))) {
      if (who === founder) continue
      const joins = story.sometime(at + 600, at + 9_000)
      story.at(joins, () => site.as(who, 'PUT', `/currency-groups/${group.id}`))
      if (told.mode === 'public') group.members.push(who)
      else if (chance.happens(0.6)) {
        group.members.push(who)
        story.at(joins + 700, async () => {
          const waiting = await site.as(
            founder,
            'GET',
            `/user-group-audit-members?group_ids=${group.id}&limit=100`,
          )
          const mine = waiting.find(
            (each: { user_id: number; status: number }) => each.user_id === who.id && each.status === 0,
          )
          if (mine)
            await site.as(founder, 'PATCH', `/groups/${group.id}/members/${mine.member_id}/audit`, {
              status: 1,
            })
        })
      }
    }
    for (const [p, post] of told.posts.entries()) {
      const when = story.sometime(at + 11_000 + p * 6_000, at + 15_000 + p * 6_000)
      story.at(when, async () => {
        const writer =
          p === 0 ? founder : (group.members.find((each) => each.speaks === post.speaks) ?? founder)
        const answer = await site.as(writer, 'POST', `/groups/${group.id}/posts`, {
          title: post.title,
          body: post.body,
          summary: post.body
            .replace(/[*#>\n-]+/g, ' ')
            .trim()
            .slice(0, 120),
        })
        group.posts.push(answer.post.id)
      })
      for (const who of group.members.slice(0, 5)) {
        story.aside(when + chance.between(60, 2_000), () =>
          site.as(who, 'POST', `/group-posts/${group.posts[p]}/likes`),
        )
        if (chance.happens(0.5))
          story.at(when + chance.between(60, 3_000), () =>
            site.as(who, 'POST', `/group-posts/${group.posts[p]}/comments`, {
              body: chance.one(REMARKS[who.speaks]),
            }),
          )
      }
    }
  }
}

export function wonder({ site, story, chance, root, members }: Community, made: Made): void {
  const { questionTopics: topics } = made
  story.at(60, async () => {
    for (const [name, description] of QUESTION_TOPICS)
      topics.push((await site.as(root, 'POST', '/admin/question-topics', { name, description })).id)
  })
  for (const [n, told] of QUESTIONS.entries()) {
    const speaking = members.filter(({ speaks }) => speaks === told.speaks)
    const [asker, ...experts] = chance.some(speaking, 1 + told.answers.length)
    const at = story.sometime(6_000 + n * 6_000, 9_000 + n * 6_000)
    const question = { id: 0, asker: asker! }
    made.questions.push(question)
    story.at(at, async () => {
      const answer = await site.as(asker!, 'POST', '/questions', {
        subject: told.subject.replace(/[^?？]$/, '$&?'),
        topics: [{ id: topics[told.topic] }],
        body: told.body,
        text_body: told.body,
        amount: told.amount ?? 0,
      })
      question.id = answer.question.id
    })
    for (const [a, body] of told.answers.entries()) {
      const answer = { id: 0 }
      story.at(at + 300 + a * 900, async () => {
        const reply = await site.as(experts[a]!, 'POST', `/questions/${question.id}/answers`, {
          body,
          text_body: body,
        })
        answer.id = reply.answer.id
      })
      for (const who of chance.some(members, chance.between(2, 7)))
        if (who !== experts[a])
          story.aside(at + 400 + a * 900 + chance.between(10, 3_000), () =>
            site.as(who, 'POST', `/question-answers/${answer.id}/likes`),
          )
      if (told.adopted && a === 0)
        story.at(at + 5_000, () => site.as(asker!, 'PUT', `/questions/${question.id}/adoptions/${answer.id}`))
    }
    for (const who of chance.some(members, 3))
      story.aside(at + chance.between(50, 2_000), () =>
        site.as(who, 'PUT', `/user/question-watches/${question.id}`),
      )
  }
}
