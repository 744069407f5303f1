import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { createWorld } from '#test/world.ts'

/** Writes that concern only the caller's account or view. */
const STILL_ALLOWED = [
  'DELETE /chats/{chat}',
  'DELETE /user',
  'DELETE /user/black/{user}',
  'DELETE /user/devices',
  'DELETE /user/exports/{export}',
  'DELETE /user/follow-requests/{user}',
  'DELETE /user/followers/{follower}',
  'DELETE /user/muted-words/{word}',
  'DELETE /user/mutes/{user}',
  'DELETE /user/second-factor',
  'DELETE /user/sessions',
  'DELETE /user/sessions/{session}',
  'DELETE /user/socialite/{provider}',
  'PATCH /chats/{chat}',
  'PATCH /user/clear-follow-notification',
  'PATCH /user/contact-rules',
  'PATCH /user/counts',
  'PATCH /user/notifications',
  'PATCH /user/socialite/{provider}',
  'POST /texts/preview',
  'POST /user/appeals',
  'POST /user/black/{user}',
  'POST /user/exports',
  'POST /user/find-by-phone',
  'POST /user/muted-words',
  'POST /user/second-factor',
  'POST /user/second-factor/recovery-codes',
  'POST /verifycodes',
  'POST /verifycodes/register',
  'PUT /chats/{chat}/position',
  'PUT /user',
  'PUT /user/devices',
  'PUT /user/mutes/{user}',
  'PUT /user/notifications/all',
  'PUT /user/password',
  'PUT /user/privacy',
  'PUT /user/push/preferences',
  'PUT /user/second-factor',
]

test('rejects every write of a silenced user except those that affect no other user (sign-in-27)', async () => {
  const { app, as, person, sql } = await createWorld()
  const founder = await person({ roles: ['founder', 'owner'] })
  await sql`
    insert into sanctions (user_id, kind, reason, imposed_by) values (${founder.id}, 'silence', 'Noise', 0)`
  // Issues a token for each request, because sign-out ends the session.
  const signedIn = async () => ({ ...founder, token: (await issueToken(sql, founder.id)).access_token })
  const { paths } = app.swagger() as unknown as {
    paths: Record<string, Record<string, { security?: object[] }>>
  }
  const allowed: string[] = []
  let refused = 0
  for (const [path, verbs] of Object.entries(paths))
    for (const verb of ['post', 'put', 'patch', 'delete'] as const) {
      // Operations without authentication have no user whom the server could reject.
      if (!verbs[verb] || verbs[verb].security?.length === 0) continue
      const method = verb.toUpperCase() as 'POST'
      const { status, headers } = await as(await signedIn(), method, path.replaceAll(/\{\w+\}/g, '1'), {})
      if (status === 403 && headers['x-error-code'] === 'silenced') refused += 1
      else allowed.push(`${method} ${path.replace('/api/v2', '')}`)
    }
  assert.ok(refused > 300, `${refused} were refused`)
  assert.deepEqual(allowed.sort(), STILL_ALLOWED)
})
