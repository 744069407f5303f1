import { createCast, type Row } from '#test/fixtures/notified.ts'
import type { Person } from '#test/world.ts'

const {
  SITE,
  anna,
  ben,
  cleo,
  dora,
  as,
  system,
  made,
  named,
  commentOf,
  createGroup,
  memberId,
  join,
  post,
  promote,
  group,
  tell,
} = await createCast()

tell('sends notifications of events in groups', [
  ...(['public', 'private'] as const).map(
    (mode): Row => ({
      what: `notifies the founder and the administrators when a user joins or asks to join a ${mode} group`,
      notOneself: true,
      async scene(by) {
        const id = await createGroup(dora, { mode })
        for (const each of [anna, cleo]) await join(id, dora, each)
        await promote(id, dora, anna)
        const more = { group: { id, name: 'A group' }, user: named(by) }
        const text = 'Somebody joined your group or asked to join it.'
        return {
          act: () => as(by, 'PUT', `/currency-groups/${id}`),
          told: [anna, dora].map((who) => system(who, by, 'group:join', { type: 'groups', id }, text, more)),
        }
      },
    }),
  ),
  ...(
    [
      ['paid', 1],
      ['paid', 2],
      ['private', 1],
      ['private', 2],
    ] as const
  ).map(
    ([mode, status]): Row => ({
      what: `notifies the applicant when the founder ${status === 1 ? 'accepts' : 'rejects'} a request to join a ${mode} group`,
      notOneself: true,
      async scene(by) {
        const id = await createGroup(by, mode === 'paid' ? { mode, money: 5 } : { mode })
        made(await as(anna, 'PUT', `/currency-groups/${id}`))
        const path = `/groups/${id}/members/${await memberId(id, anna)}/audit`
        const text =
          status === 1 ? 'You were accepted into the group.' : 'Your request to join the group was rejected.'
        const state = status === 1 ? 'passed' : 'rejected'
        const more = { group: { id, name: 'A group' }, state }
        return {
          act: () => as(by, 'PATCH', path, { status }),
          told: [
            system(
              anna,
              by,
              `group:join:${status === 1 ? 'accept' : 'reject'}`,
              { type: 'groups', id },
              text,
              more,
            ),
          ],
        }
      },
    }),
  ),
  ...([1, 2] as const).map(
    (audit): Row => ({
      what: `notifies the founder when an administrator ${audit === 1 ? 'accepts' : 'rejects'} a group`,
      site: true,
      async scene(by) {
        const id = await createGroup(anna, {}, { passed: false })
        const state = audit === 1 ? 'passed' : 'rejected'
        const text = `Your group was ${audit === 1 ? 'accepted' : 'rejected'}.`
        const more = { state, group: { id, name: 'A group' } }
        return {
          act: () => as(by, 'PATCH', `/admin/groups/${id}`, { audit }),
          told: [system(anna, SITE, 'group:audit', { type: 'groups', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'notifies the new owner when the founder transfers a group',
    notOneself: true,
    async scene(by) {
      const id = await createGroup(by)
      for (const each of [anna, cleo]) await join(id, by, each)
      const more = { group: { id, name: 'A group' }, user: named(by) }
      const text = 'A group was transferred to you.'
      return {
        act: () => as(by, 'PATCH', `/groups/${id}/owner`, { target: anna.id }),
        told: [system(anna, by, 'group:transfer', { type: 'groups', id }, text, more)],
      }
    },
  },
  ...(['post', 'comment'] as const).flatMap((kind): Row[] => {
    const reported = async (author: Person) => {
      const id = await post(author, group)
      const target = kind === 'post' ? id : await commentOf(author, `/group-posts/${id}`)
      const more = {
        group: { id: group, name: 'A group' },
        post: { id, title: 'A post' },
        ...(kind === 'post' ? {} : { comment: { id: target, contents: 'Well said' } }),
      }
      return { target, more, about: { type: kind === 'post' ? 'group-posts' : 'comments', id: target } }
    }
    const report = `group:report-${kind}`
    return [
      {
        what: `notifies the managers of a group when a user reports a ${kind}`,
        async scene(by) {
          const { target, about, more } = await reported(anna)
          return {
            act: () => as(by, 'POST', `/reports/${kind}s/${target}`, { content: 'Rude' }),
            told: [cleo, dora].map((who) => system(who, by, report, about, 'Rude', more)),
          }
        },
      },
      ...(['accept', 'reject'] as const).map(
        (verb): Row => ({
          what: `notifies the reporter${verb === 'accept' ? ' and the author' : ''} when a manager ${verb}s the report of a ${kind}`,
          site: true,
          async scene() {
            const { target, about, more: things } = await reported(ben)
            made(await as(anna, 'POST', `/reports/${kind}s/${target}`, { content: 'Rude' }))
            const { id } = (await as(dora, 'GET', `/reports?group_id=${group}&limit=1`)).body[0]
            const state = verb === 'accept' ? 'passed' : 'rejected'
            const text = `The report of a ${kind} in a group was ${verb}ed.`
            const more = { ...things, state }
            return {
              act: () => as(dora, 'PATCH', `/reports/${id}/${verb}`),
              told: (verb === 'accept' ? [anna, ben] : [anna]).map((who) =>
                system(who, SITE, report, about, text, more),
              ),
            }
          },
        }),
      ),
    ]
  }),
])
