import type { DigestSource } from '#contracts/digest.ts'
import { personalTable } from '#contracts/personal-data.ts'
import { hasEmail } from '#modules/mail/index.ts'
import type { Context } from '#platform/context.ts'
import { apiError, notFound } from '#platform/errors.ts'
import { Empty, Flag, language, routesOn, type Server, Shared, Text, Type } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import {
  eraseDigest,
  findDigest,
  isOffered,
  readerOf,
  sendDigests,
  subscribe,
  unsubscribe,
} from './service.ts'
import { DIGEST_SETTINGS, readDigestSettings } from './settings.ts'

const digestOff = apiError(403, 'digest_off', 'This site sends no weekly mail.', '本站未开启每周邮件。')
const noAddress = apiError(
  422,
  'no_email',
  'Add an e-mail address to your account first.',
  '请先为您的账号绑定邮箱。',
)

const Digest = Shared('Digest', {
  offered: Type.Boolean({ description: 'False when the site sends no weekly mail' }),
  weekly: Type.Boolean({ description: 'True when I asked for the weekly mail' }),
})

const TokenParams = Type.Object({ token: Text(100) })

export function digestRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/digest', {
    operationId: 'getDigest',
    summary: 'Read whether I receive the weekly mail',
    access: 'user',
    reply: { 200: Digest },
    handler: async ({ viewer }) => ({
      offered: isOffered(ctx, await readDigestSettings(ctx)),
      weekly: await findDigest(ctx.sql, viewer.id),
    }),
  })

  route('PATCH /user/digest', {
    operationId: 'updateDigest',
    summary: 'Begin or end the weekly mail',
    access: 'user',
    body: Shared('DigestChanges', { weekly: Flag() }),
    reply: { 204: Empty },
    errors: [digestOff, noAddress],
    handler: async ({ viewer, body, request }) => {
      if (!body.weekly) return void (await unsubscribe(ctx.sql, viewer.id))
      if (!isOffered(ctx, await readDigestSettings(ctx))) throw digestOff()
      if (!(await hasEmail(ctx.sql, viewer.id))) throw noAddress()
      await subscribe(ctx.sql, viewer.id, language(request))
    },
  })

  route('GET /digest/unsubscribe/:token', {
    operationId: 'openDigestUnsubscription',
    summary: 'Redirect to the page that ends the weekly mail',
    description: 'For mail programs that open the address of `List-Unsubscribe` in a browser.',
    access: 'public',
    params: TokenParams,
    reply: { 302: Type.Null() },
    errors: [notFound],
    handler: ({ params, uncached }) => {
      if (readerOf(ctx, params.token) === undefined) throw notFound()
      return uncached().reply.redirect(
        `${ctx.config.publicUrl}/unsubscribe?token=${encodeURIComponent(params.token)}`,
        302,
      )
    },
  })

  route('POST /digest/unsubscribe/:token', {
    operationId: 'unsubscribeFromDigest',
    summary: 'End the weekly mail with the token of a mail (RFC 8058)',
    access: 'public',
    params: TokenParams,
    reply: { 204: Empty },
    errors: [notFound],
    handler: async ({ params }) => {
      const reader = readerOf(ctx, params.token)
      if (reader === undefined) throw notFound()
      await unsubscribe(ctx.sql, reader)
    },
  })
}

const digestPersonal = personalTable({
  file: 'weekly-mail',
  about: { en: 'Your weekly mail', zh: '您的每周邮件' },
  table: 'digest_readers',
  key: ['user_id'],
  columns: ['language', 'since', 'created_at'],
})

const digestTasks =
  (sources: readonly DigestSource[]) =>
  (ctx: Context): TaskList => ({ send_digests: () => sendDigests(ctx, sources) })

const digestSchedules: Schedule[] = [{ task: 'send_digests', pattern: '11 * * * *' }]

export const module: Module = {
  settings: DIGEST_SETTINGS,
  routes: () => [digestRoutes],
  personalData: { place: 24, tables: [digestPersonal] },
  erase: eraseDigest,
  tasks: ({ digests }) => [digestTasks(digests)],
  schedules: digestSchedules,
  pools: [{ concurrency: 1, names: ['send_digests'] }],
}
