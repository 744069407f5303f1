import type { Made } from './areas.ts'
import type { Community, Member } from './community.ts'
import { APPEALS, CONTRIBUTIONS, LOOKED_AT, SOLD, TO_MANAGERS } from './words.ts'

export function trade({ site, story, chance, members, photograph, topics }: Community, made: Made): void {
  for (const [n, sold] of SOLD.entries()) {
    const author = chance.one(members.filter(({ speaks }) => speaks === sold.speaks))
    const at = story.sometime(20_000 + n * 9_000, 24_000 + n * 9_000)
    const here = { id: 0, node: 0 }
    story.at(at, async () => {
      const id = await photograph(author, sold.scene)
      const image = sold.sells === 'picture' ? { id, amount: sold.amount, type: 'read' } : { id }
      const feed = await site.as(author, 'POST', '/feeds', {
        feed_content: sold.text,
        feed_from: 1,
        feed_mark: 9_000 + n,
        images: [image],
        topics: [topics.get('photo')].filter((topic) => topic !== undefined),
        ...(sold.sells === 'text' ? { amount: sold.amount } : {}),
      })
      here.id = feed.id
      const { paid_node, images } = await site.as(author, 'GET', `/feeds/${feed.id}`)
      here.node = paid_node?.node ?? images?.[0]?.paid_node
    })
    for (const buyer of chance.some(members, 5))
      if (buyer !== author)
        story.at(at + chance.between(60, 6_000), async () => {
          await site.as(buyer, 'POST', `/currency/purchases/${here.node}`)
          await site.as(buyer, 'POST', `/feeds/${here.id}/like`)
        })
  }
  sellLooks({ site, story, chance, members }, made)
}

function sellLooks(
  { site, story, chance, members }: Pick<Community, 'site' | 'story' | 'chance' | 'members'>,
  made: Made,
): void {
  const [asker, expert, ...readers] = chance.some(
    members.filter(({ speaks }) => speaks === LOOKED_AT.speaks),
    6,
  ) as [Member, Member, ...Member[]]
  const at = story.sometime(32_000, 36_000)
  const here = { question: 0, answer: 0 }
  story.at(at, async () => {
    const { question } = await site.as(asker, 'POST', '/questions', {
      subject: LOOKED_AT.subject,
      body: LOOKED_AT.body,
      text_body: LOOKED_AT.body,
      topics: [{ id: made.questionTopics[0] }],
      amount: 80,
      automaticity: 1,
      look: 1,
      invitations: [{ user: expert.id }],
    })
    here.question = question.id
  })
  story.at(at + 700, async () => {
    const { answer } = await site.as(expert, 'POST', `/questions/${here.question}/answers`, {
      body: LOOKED_AT.answer,
      text_body: LOOKED_AT.answer,
    })
    here.answer = answer.id
  })
  for (const [n, reader] of readers.entries())
    story.at(at + 1_200 + n * 400, async () => {
      await site.as(reader, 'POST', `/question-answers/${here.answer}/currency-onlookers`)
      if (n === 0)
        await site.as(reader, 'POST', `/question-answers/${here.answer}/comments`, {
          body: LOOKED_AT.comment,
        })
    })
}

export function plead({ site, story, chance, root, members, photograph }: Community, made: Made): void {
  const lately = () => story.minutes - chance.between(60, 5_000)
  for (const [n, article] of made.articles.slice(0, 3).entries())
    story.at(lately(), () => {
      const { id, author, category } = article
      return n < 2
        ? site.as(author, 'POST', `/news/${id}/currency-pinneds`, { amount: 60 + 20 * n, day: 3 })
        : site.as(author, 'DELETE', `/news/categories/${made.categories.get(category)}/news/${id}`)
    })
  const told = CONTRIBUTIONS[1]!
  const writer = chance.one(members.filter(({ speaks }) => speaks === told.speaks))
  story.at(lately(), async () => {
    const category = made.categories.get(told.category)
    const list = `/news/categories/${category}`
    await site.as(writer, 'POST', `${list}/currency-news`, {
      title: `${told.title} (2)`,
      subject: told.subject,
      content: told.content,
      image: await photograph(writer, told.scene),
      tags: [made.tags[0]],
      author: writer.name,
    })
    const own = await site.as(writer, 'GET', '/user/news/contributes?type=1')
    await site.as(writer, 'PUT', `${list}/news/${own[0]?.id}`)
  })
  for (const [n, { speaks, reason, contents }] of APPEALS.entries()) {
    const accused = members.filter((member) => member.speaks === speaks)[n + 3]!
    const at = story.minutes - 4_000 + n * 900
    const here = { sanction: 0 }
    story.at(at, async () => {
      here.sanction = (
        await site.as(root, 'POST', `/admin/users/${accused.id}/sanctions`, { kind: 'warning', reason })
      ).id
    })
    story.at(at + 300, () => site.as(accused, 'POST', '/user/appeals', { contents, sanction: here.sanction }))
  }
  for (const [n, content] of TO_MANAGERS.entries()) {
    const group = made.groups[n]!
    story.at(lately(), async () => {
      const post = group.posts[0]
      const member = group.members.find((each) => each !== group.founder)
      if (post !== undefined && member) await site.as(member, 'POST', `/reports/posts/${post}`, { content })
    })
  }
}
