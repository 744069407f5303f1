import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person } = world
const { group, memberId, member, post } = groupMaker(world)

const founder = await person()
const id = await group(founder, { mode: 'private' })
const [plain, bad, admin] = [await member(id, founder), await member(id, founder), await member(id, founder)]
const [pending, stranger, site] = [
  await person(),
  await person(),
  await person({ roles: ['founder', 'owner'] }),
]
await as(pending, 'PUT', `/groups/${id}`)
await as(founder, 'PUT', `/groups/${id}/managers/${await memberId(id, admin)}`)
await as(founder, 'PUT', `/groups/${id}/blacklist/${await memberId(id, bad)}`)
const postId = await post(founder, id)
const commented = await as(founder, 'POST', `/group-posts/${postId}/comments`, { body: 'Here' })
const comment = commented.body.comment.id
const target = await memberId(id, founder)

const people: (Person | null)[] = [null, stranger, pending, plain, bad, admin, founder, site]

/**
 * What each of them is answered, in the order guest, stranger, pending, member, disabled member, administrator, founder,
 * administrator of the site. Bodies are empty, so 422 means that somebody may.
 */
const MATRIX: [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, statuses: string][] = [
  ['GET', `/groups/${id}`, '200 200 200 200 200 200 200 200'],
  ['GET', `/groups/${id}/members`, '200 200 200 200 200 200 200 200'],
  ['GET', `/groups/${id}/members?type=blacklist`, '403 403 403 403 403 200 200 403'],
  ['GET', `/groups/${id}/members?type=audit`, '403 403 403 403 403 200 200 403'],
  ['GET', `/groups/${id}/role/count`, '401 200 200 200 200 200 200 200'],
  ['GET', `/groups/${id}/incomes`, '401 403 403 403 403 403 200 403'],
  ['GET', `/reports?group_id=${id}`, '401 403 403 403 403 200 200 403'],
  ['GET', `/groups/${id}/posts`, '404 404 404 200 200 200 200 404'],
  ['GET', `/groups/${id}/posts/${postId}`, '404 404 404 200 200 200 200 404'],
  ['GET', `/group-posts/${postId}/likes`, '404 404 404 200 200 200 200 404'],
  ['GET', `/group-posts/${postId}/comments`, '404 404 404 200 200 200 200 404'],
  ['GET', `/group-posts/${postId}/rewards`, '404 404 404 200 200 200 200 404'],
  ['POST', `/groups/${id}/posts`, '401 403 403 422 403 422 422 403'],
  ['PUT', `/groups/${id}/posts/${postId}`, '401 404 404 403 403 403 422 404'],
  ['POST', `/group-posts/${postId}/comments`, '401 404 404 422 403 422 422 404'],
  ['POST', `/group-posts/${postId}/new-rewards`, '401 404 404 422 403 422 422 404'],
  ['POST', `/reports/posts/${postId}`, '401 404 404 422 403 422 422 404'],
  ['POST', `/reports/comments/${comment}`, '401 404 404 422 403 422 422 404'],
  ['POST', `/pinned/posts/${postId}/create`, '401 404 404 403 403 422 422 404'],
  ['PATCH', `/pinned/posts/${postId}/cancel`, '401 404 404 403 403 422 422 404'],
  ['PATCH', `/groups/${id}/permissions`, '401 403 403 403 403 422 422 403'],
  ['PATCH', `/groups/${id}/owner`, '401 403 403 403 403 403 422 403'],
  ['PUT', `/groups/${id}/bind-im-group`, '401 403 403 403 403 403 422 403'],
  ['PATCH', `/groups/${id}/members/${target}/audit`, '401 403 403 403 403 422 422 403'],
  ['DELETE', `/groups/${id}/members/${target}`, '401 403 403 403 403 403 403 403'],
  ['PUT', `/groups/${id}/managers/${target}`, '401 403 403 403 403 403 403 403'],
  ['PUT', `/groups/${id}/blacklist/${target}`, '401 403 403 403 403 403 403 403'],
  ['DELETE', `/groups/${id}/posts/${postId}`, '401 404 404 403 403 - - 404'],
  ['PUT', `/group/posts/${postId}/toggle-excellent`, '401 404 404 403 403 204 204 404'],
  ['POST', `/group-posts/${postId}/likes`, '401 404 404 201 403 201 201 404'],
  ['POST', `/group-posts/${postId}/collections`, '401 404 404 201 201 201 201 404'],
  ['GET', `/admin/groups/${id}`, '401 403 403 403 403 403 403 200'],
  ['DELETE', '/admin/group-posts/999999', '401 403 403 403 403 403 403 404'],
]

for (const [method, path, statuses] of MATRIX)
  test(`${method} ${path} is for those it is for`, async () => {
    const got: string[] = []
    const wanted = statuses.split(' ')
    for (const [n, who] of people.entries()) {
      // Who would really do away with something is shown elsewhere.
      if (wanted[n] === '-') got.push('-')
      else got.push(String((await (who ? as(who, method, path, {}) : guest(method, path, {}))).status))
    }
    assert.equal(got.join(' '), statuses)
  })
