import { groupMaker } from '#test/fixtures/groups.ts'
import { createParties, everybody, type Row } from '#test/fixtures/money-access.ts'

const { as, world, applicant, author, price, expect, commentOn, matrix } = await createParties()
const groups = groupMaker(world)

let made: Promise<number> | undefined
async function groupScene() {
  made ??= groups.group(author).then(async (id) => {
    await groups.join(id, author, applicant)
    return id
  })
  const group = await made
  const [plain, waiting] = [await groups.post(applicant, group), await groups.post(applicant, group)]
  await expect(201, as(applicant, 'POST', `/currency-pinned/posts/${waiting}`, price))
  const below = await groups.post(author, group)
  const comments = [await commentOn(`/group-posts/${below}`), await commentOn(`/group-posts/${below}`)]
  await expect(201, as(applicant, 'POST', `/currency-pinned/comments/${comments[1]}`, price))
  await expect(201, as(author, 'POST', `/pinned/posts/${below}/create`, { day: 1 }))
  return { plain, waiting, pinned: below, comment: comments[0], waitingComment: comments[1] }
}

type Group = Awaited<ReturnType<typeof groupScene>>
// Group managers pin any post of the group without a decision (groups-26).
const inGroup = (prefix: string, kind: 'post' | 'comment', asked: number[]): Row<Group>[] => {
  const path = (id: number | undefined) => `${prefix}/${kind}s/${id}`
  const waiting = (s: Group) => path(kind === 'post' ? s.waiting : s.waitingComment)
  return [
    [`ask for a ${kind}`, (s) => ['POST', path(kind === 'post' ? s.plain : s.comment), price], asked],
    [`accept a ${kind}`, (s) => ['PATCH', `${waiting(s)}/accept`], [401, 403, 403, 201, 403, 403]],
    [`reject a ${kind}`, (s) => ['PATCH', `${waiting(s)}/reject`], [401, 403, 403, 201, 403, 403]],
  ]
}
matrix('restricts operations on pins in groups by role', groupScene, [
  ...inGroup('/currency-pinned', 'post', [401, 403, 201, 201, 403, 403]),
  ...inGroup('/currency-pinned', 'comment', [401, 403, 201, 403, 403, 403]),
  ...inGroup('/pinned', 'post', [401, 403, 201, 201, 403, 403]),
  ...inGroup('/pinned', 'comment', [401, 403, 201, 403, 403, 403]),
  [
    'pin for free',
    (s) => ['POST', `/pinned/posts/${s.plain}/create`, { day: 1 }],
    [401, 403, 403, 201, 403, 403],
  ],
  ['end', (s) => ['PATCH', `/pinned/posts/${s.pinned}/cancel`], [401, 403, 403, 201, 403, 403]],
  ['requests to the caller for posts', () => ['GET', '/pinned/posts'], everybody(200)],
  ['requests to the caller for comments', () => ['GET', '/pinned/comments'], everybody(200)],
])
