import { createCast, type Row } from '#test/fixtures/notified.ts'

const { SITE, anna, as, guest, system, made, feed, content, group, tell } = await createCast()

tell('sends notifications of rewards, purchases and withdrawals', [
  ...(
    [
      [
        'feed',
        'reward:feeds',
        'Your post received a reward.',
        async (id: number) => ({ feed: { id }, feed_id: id }),
      ],
      [
        'news',
        'reward:news',
        'Your article received a reward.',
        async (id: number) => ({ news: { id, title: 'My article' }, unit: 'Points' }),
      ],
      [
        'answer',
        'qa:reward',
        'Your answer received a reward.',
        async (id: number) => ({
          answer: {
            id,
            question_id: (await guest('GET', `/question-answers/${id}`)).body.question_id,
            body: 'Half past ten',
          },
        }),
      ],
      [
        'post',
        'group:post-reward',
        'Your post received a reward.',
        async (id: number) => ({ post: { id, title: 'A post' }, group_id: group }),
      ],
    ] as const
  ).map(
    ([name, kind, text, more]): Row => ({
      what: `notifies the author of a reward (${name})`,
      async scene(by) {
        const { type, path, make } = content(name)
        const id = await make(anna)
        return {
          act: () => as(by, 'POST', `${path(id)}/new-rewards`, { amount: 7 }),
          told: [system(anna, by, kind, { type, id }, text, { amount: 7, ...(await more(id)) })],
        }
      },
    }),
  ),
  {
    what: 'notifies a user of a reward',
    async scene(by) {
      const more = { amount: 7, user: { id: anna.id } }
      return {
        act: () => as(by, 'POST', `/user/${anna.id}/new-rewards`, { amount: 7 }),
        told: [system(anna, by, 'reward', { type: 'users', id: anna.id }, 'You received a reward.', more)],
      }
    },
  },
  {
    what: 'notifies the author of a purchase with the wallet',
    async scene(by) {
      const id = await feed(anna, { feed_content: '一'.repeat(60), amount: 30 })
      const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
      const more = { amount: 30, channel: 'feed', raw: id }
      const text = 'Somebody paid for your content.'
      return {
        act: () => as(by, 'POST', `/purchases/${node}`),
        told: [system(anna, by, 'purchase', { type: 'feeds', id }, text, more)],
      }
    },
  },
  ...(['wallet', 'points'] as const).flatMap((currency) =>
    (['accept', 'reject'] as const).map(
      (action): Row => ({
        what: `notifies the owner when an administrator ${action}s a ${currency} withdrawal`,
        site: true,
        async scene(by) {
          const wallet = currency === 'wallet'
          made(
            wallet
              ? await as(anna, 'POST', '/plus-pay/cashes', { value: 400, type: 'alipay', account: 'a@b.org' })
              : await as(anna, 'POST', '/currency/cash', { amount: 500 }),
          )
          const { data } = (await as(by, 'GET', `/admin/withdrawals?user=${anna.id}&order=desc`)).body
          const { id } = data[0]
          const state = action === 'accept' ? 'passed' : 'rejected'
          const text = `Your withdrawal${wallet ? '' : ' of points'} was ${action}ed.`
          const about = { type: wallet ? 'wallet-cashes' : 'currency-cashes', id }
          const more = { state, remark: 'so' }
          return {
            act: () => as(by, 'PATCH', `/admin/withdrawals/${id}`, { action, remark: 'so' }),
            told: [system(anna, SITE, wallet ? 'user-cash' : 'user-currency:cash', about, text, more)],
          }
        },
      }),
    ),
  ),
])
