import type { Made } from './areas.ts'
import type { Community } from './community.ts'
import { SCENES } from './pictures/photographs.ts'
import { CONTRIBUTIONS, FEEDBACK, REASONS, WAITING_GROUPS, WAITING_TOPICS } from './words.ts'

const POINTS = 2_000
const FEN = 80_000

export function spend({ site, story, chance, root, members, feeds }: Community): void {
  for (const [n, member] of members.entries()) {
    story.at(40 + n, () =>
      site.as(root, 'POST', `/admin/users/${member.id}/points`, { amount: POINTS, reason: 'Welcome' }),
    )
    if (n % 3 === 0)
      story.at(90 + n, () =>
        site.as(root, 'POST', `/admin/users/${member.id}/wallet`, { amount: FEN, reason: 'Welcome' }),
      )
  }
  for (const [n, feed] of feeds.entries()) {
    if (n % 2 === 1) continue
    const giver = chance.one(members.filter((member) => member !== feed.author))
    const amount = chance.one([5, 10, 15, 50])
    story.at(feed.at + chance.between(200, 5_000), () =>
      site.as(giver, 'POST', `/feeds/${feed.id}/new-rewards`, { amount }),
    )
  }
  for (const member of chance.some(members, 12))
    story.at(story.minutes - chance.between(10, 600), () => site.as(member, 'PUT', '/user/checkin/currency'))
}

export function wait(community: Community, made: Made): void {
  const { site, story, chance, root, members, feeds, photograph } = community
  const lately = () => story.minutes - chance.between(60, 7_000)
  const some = (count: number) => chance.some(members, count)
  // Requires a review of topics only for some days, so that the finished demo has the default of this setting.
  for (const [at, review] of [
    [story.minutes - 9_000, true],
    [story.minutes - 30, false],
  ] as const)
    story.at(at, () => site.as(root, 'PATCH', '/admin/settings', { 'feed:topic:need-review': review }))
  for (const [n, [name, desc]] of WAITING_TOPICS.entries())
    story.at(lately(), () => site.as(members[n + 5]!, 'POST', '/feed/topics', { name, desc }))
  for (const [n, feed] of feeds.slice(-12, -8).entries()) {
    const at = story.minutes - 6_500 + n * 300
    const { author } = feed
    story.at(at, () =>
      site.as(author, 'POST', `/feeds/${feed.id}/currency-pinneds`, { amount: 100 * (n + 1), day: n + 2 }),
    )
    if (n < 2)
      story.at(at + 900, async () => {
        const { data } = await site.as(root, 'GET', `/admin/feed-pinneds?feed=${feed.id}`)
        await site.as(root, 'PATCH', `/admin/feed-pinneds/${data[0].id}`, {
          action: n === 0 ? 'accept' : 'reject',
        })
      })
  }
  for (const feed of feeds.slice(-20, -14))
    story.at(lately(), async () => {
      const comment = feed.comments.find(({ author }) => author !== feed.author)
      if (comment)
        await site.as(comment.author, 'POST', `/feeds/${feed.id}/comments/${comment.id}/currency-pinneds`, {
          amount: 30,
          day: 2,
        })
    })
  for (const group of made.groups.slice(0, 2))
    story.at(lately(), async () => {
      const { posts } = await site.as(group.founder, 'GET', `/groups/${group.id}/posts`)
      const post = posts.find((each: { user_id: number }) => each.user_id !== group.founder.id)
      const writer = members.find(({ id }) => id === post?.user_id)
      if (writer) await site.as(writer, 'POST', `/currency-pinned/posts/${post.id}`, { amount: 50, day: 3 })
    })
  for (const [n, member] of some(5).entries())
    story.at(lately(), async () => {
      const files = [
        await photograph(member, chance.one(SCENES)),
        await photograph(member, chance.one(SCENES)),
      ]
      const isHouse = n === 4
      await site.as(member, 'POST', '/user/certification', {
        type: isHouse ? 'org' : 'user',
        name: member.name,
        phone: `1380000${String(1000 + n)}`,
        number: `DEMO-${2000 + n}`,
        desc: isHouse ? 'A small house of four tables.' : 'I would like a badge beside my name.',
        files,
        ...(isHouse ? { org_name: 'Four Tables', org_address: 'Old Street 4' } : {}),
      })
    })
  for (const [n, member] of members
    .filter((_, place) => place % 3 === 0)
    .slice(1, 5)
    .entries())
    story.at(lately(), () =>
      site.as(member, 'POST', '/plus-pay/cashes', {
        value: 5_000 * (n + 1),
        type: n % 2 === 0 ? 'alipay' : 'wechat',
        account: `demo-${n}@example.com`,
      }),
    )
  for (const [n, member] of some(3).entries())
    story.at(lately(), () => site.as(member, 'POST', '/currency/cash', { amount: 200 + 100 * n }))
  for (const [n, member] of some(3).entries())
    story.at(lately(), () =>
      site.as(member, 'POST', '/plus-pay/recharge', { type: 'manual', amount: 10_000 * (n + 1) }),
    )
  story.at(20, () =>
    site.as(root, 'PATCH', '/admin/settings', {
      'news:contribute:verified': false,
      'news:pay-contribute': 20,
      // A filled site needs no first steps.
      'site:setup': ['closed'],
    }),
  )
  const { tags } = made
  story.at(25, async () => {
    const { id } = await site.as(root, 'POST', '/admin/tag-categories', { name: '兴趣 Interests', weight: 1 })
    for (const name of [
      '摄影 Photo',
      '徒步 Hiking',
      '烘焙 Baking',
      '音乐 Music',
      '园艺 Garden',
      '写作 Writing',
    ])
      tags.push((await site.as(root, 'POST', '/admin/tags', { name, tag_category_id: id, weight: 1 })).id)
  })
  for (const member of members)
    story.aside(story.sometime(3_000, 20_000), async () => {
      for (const tag of chance.some(tags, 2)) await site.as(member, 'PUT', `/user/tags/${tag}`)
    })
  for (const article of CONTRIBUTIONS) {
    const writer = chance.one(members.filter(({ speaks }) => speaks === article.speaks))
    story.at(lately(), async () =>
      site.as(writer, 'POST', `/news/categories/${made.categories.get(article.category)}/currency-news`, {
        title: article.title,
        subject: article.subject,
        content: article.content,
        image: await photograph(writer, article.scene),
        tags: [tags[0]],
        author: writer.name,
      }),
    )
  }
  for (const [n, told] of WAITING_GROUPS.entries())
    story.at(lately(), async () => {
      const founder = members[n * 2 + 8]!
      const { data } = await site.as(
        root,
        'GET',
        `/admin/group-categories?q=${encodeURIComponent(told.category)}`,
      )
      await site.as(founder, 'POST', `/categories/${data[0].id}/groups`, {
        name: told.name,
        summary: told.summary,
        mode: 'public',
        avatar: await photograph(founder, told.scene),
      })
    })
  const report = (path: (n: number) => string, count: number) => {
    for (const [n, member] of some(count).entries())
      story.at(lately(), () => site.as(member, 'POST', path(n), { reason: chance.one(REASONS) }))
  }
  report((n) => `/feeds/${feeds.at(-7 - n * 4)!.id}/reports`, 4)
  report((n) => `/report/comments/${feeds.at(-9 - n)!.comments[0]!.id}`, 3)
  report((n) => `/report/users/${members[n + 11]!.id}`, 1)
  report((n) => `/news/${made.articles[n]!.id}/reports`, 2)
  report((n) => `/questions/${made.questions[n]!.id}/reports`, 1)
  for (const question of made.questions.slice(1, 4))
    story.at(lately(), () => site.as(question.asker, 'POST', `/user/question-application/${question.id}`))
  for (const [n, member] of some(2).entries())
    story.at(lately(), () =>
      site.as(member, 'POST', '/user/question-topics/application', {
        name: ['天气 Weather', '木工 Woodwork'][n],
        description: ['今天会下雨吗？', 'Questions with splinters.'][n],
      }),
    )
  for (const [n, content] of FEEDBACK.entries())
    story.at(lately(), () => site.as(members[n + 4]!, 'POST', '/user/feedback', { content }))
  for (const [n, name] of ['新来的阿树', 'Milo_Farrow', '等门的猫'].entries())
    story.at(lately(), () =>
      community.apply({
        name,
        email: `applicant${n}@example.com`,
        verified: true,
        waiting: {
          introduction: ['我喜欢拍桥。', 'I bake, and I read on trains.', '朋友推荐来的。'][n] ?? null,
        },
      }),
    )
  for (const [n, group] of made.groups.slice(0, 2).entries())
    story.at(lately(), () =>
      site.as(group.founder, 'POST', '/im/group', {
        groupname: ['慢慢走闲聊', 'Night Trains, talking'][n],
        desc: ['集合前在这里说。', 'Between two stories.'][n],
        members: group.members.slice(0, 4).map(({ id }) => id),
      }),
    )
  story.at(story.minutes - 3_000, () =>
    site.as(root, 'POST', '/admin/notices', {
      all: true,
      contents: '欢迎来到演示社区。Welcome to the demo community.',
    }),
  )
  story.at(15, async () => {
    const abilities = [
      'admin: login',
      'admin: reports',
      'admin: feeds',
      'admin: feed topics',
      'admin: sensitive words',
    ]
    await site.as(root, 'POST', '/admin/roles', {
      name: 'moderator',
      display_name: 'Moderator 版主',
      abilities,
    })
    await site.as(root, 'PATCH', `/admin/users/${members[0]!.id}`, { roles: ['owner', 'moderator'] })
  })
  for (const word of ['buy followers', '代刷'])
    story.at(10, () => site.as(root, 'POST', '/admin/sensitive-words', { word, type: 'warning' }))
  for (const member of some(3))
    story.at(story.minutes - 2_000, () => site.as(root, 'PUT', `/admin/user-recommends/${member.id}`))
}
