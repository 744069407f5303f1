import { wireTime } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { OWNER_PROOF_ERRORS, OwnerProof, verifyOwner, wrongCode, wrongPassword } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import {
  cookieOf,
  Empty,
  limitByteRequests,
  ownAttemptCounter,
  routesOn,
  type Server,
  sendBytes,
} from '#platform/http'
import {
  BackupDownload,
  BackupParams,
  BackupTest,
  badDownload,
  noBackupPlace,
  noSuchBackup,
  StoredBackups,
} from './schema.ts'
import {
  allowDownload,
  DOWNLOAD_MS,
  findBackup,
  readBackups,
  startBackup,
  startCheck,
  testPlace,
  verifyDownload,
} from './service.ts'

const COOKIE = 'kith_backup'
const pathOf = (name: string) => `/storage/backups/${name}`

export function backupRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin: health' }

  route('GET /admin/backups', {
    operationId: 'adminListBackups',
    summary: 'List the backups at BACKUP_TO, and whether they were checked',
    access,
    reply: { 200: StoredBackups },
    handler: ({ language }) => readBackups(ctx, language),
  })

  route('POST /admin/backups', {
    operationId: 'adminStartBackup',
    summary: 'Start a backup to BACKUP_TO now',
    description: 'A job writes it. The part `backups` of `GET /admin/health` has the result.',
    access,
    reply: { 204: Empty },
    errors: [noBackupPlace],
    handler: (call) => startBackup(ctx, call),
  })

  route('POST /admin/backup-test', {
    operationId: 'adminTestBackupPlace',
    summary: 'Write and delete a small file at the place of backups',
    access: { anyAbility: ['admin: health', 'admin:site:base'] },
    reply: { 200: BackupTest },
    handler: ({ language }) => testPlace(ctx, language),
  })

  route('POST /admin/backups/:backup/checks', {
    operationId: 'adminCheckBackup',
    summary: 'Restore a backup into a throw-away database, to see that it can be restored',
    description: 'A job does it. `GET /admin/backups` has the result.',
    access,
    params: BackupParams,
    reply: { 204: Empty },
    errors: [noBackupPlace, noSuchBackup],
    handler: (call) => startCheck(ctx, call, call.params.backup),
  })

  route('POST /admin/backups/:backup/downloads', {
    operationId: 'adminDownloadBackup',
    summary: 'Allow the download of a backup for 15 minutes',
    description:
      'The reply sets a cookie for the URL. A backup is sent as it is stored, so an encrypted one stays encrypted.',
    access: { ability: 'admin: backups' },
    cookie: 'never',
    params: BackupParams,
    body: OwnerProof,
    example: { password: 'the password' },
    reply: { 200: BackupDownload },
    errors: [...OWNER_PROOF_ERRORS, wrongPassword, wrongCode, noBackupPlace, noSuchBackup],
    handler: async (call) => {
      const { backup } = call.params
      const use = await verifyOwner(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body)
      const { expires, value } = await allowDownload(ctx, call, use, backup)
      const secure = ctx.config.publicUrl.startsWith('https:') ? '; Secure' : ''
      const attributes = `Path=${pathOf(backup)}; Max-Age=${DOWNLOAD_MS / 1000}; HttpOnly; SameSite=Strict${secure}`
      call.reply.header('Set-Cookie', `${COOKIE}=${value}; ${attributes}`)
      return { url: `${ctx.config.publicUrl}${pathOf(backup)}`, expires_at: wireTime(new Date(expires).toISOString()) }
    },
  })
}

/** Serves a backup outside the API, so that a browser downloads it like a file, and resumes it. */
export function backupBytesRoutes(server: Server, ctx: Context) {
  server.get(
    pathOf(':backup'),
    {
      config: { access: 'public' },
      onRequest: limitByteRequests(ctx),
      schema: { hide: true, params: BackupParams },
    },
    async (request, reply) => {
      const { backup } = request.params
      const userId = verifyDownload(ctx, backup, cookieOf(request, COOKIE))
      if (userId === undefined || !(await hasAbility(ctx, userId, 'admin: backups'))) throw badDownload()
      const { place, bytes } = await findBackup(ctx, backup)
      return sendBytes(request, reply, {
        name: backup,
        mime: 'application/octet-stream',
        size: bytes,
        tag: `${backup}-${bytes}`,
        cacheControl: 'private, no-store',
        open: (range) => place.read(range),
      })
    },
  )
}
