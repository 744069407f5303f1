import type { FastifyRequest } from 'fastify'
import { wireTime } from '#lib/time.ts'
import {
  OWNER_PROOF_ERRORS,
  OwnerProof,
  verifyOwner,
  wrongCode,
  wrongPassword,
} from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import {
  Empty,
  encapsulate,
  limitByteRequests,
  ownAttemptCounter,
  routesOn,
  type Server,
  sendBytes,
} from '#platform/http'
import { type Grant, requireGrant, setGrant } from './grants.ts'
import { beginUpload, readRestore, requestRestore, writePart } from './restore.ts'
import {
  BackupDownload,
  BackupParams,
  BackupTest,
  noBackupFile,
  noBackupPlace,
  noSuchBackup,
  noUpload,
  PART_BYTES,
  passphraseNeeded,
  RestoreBody,
  RestoreState,
  RestoreUpload,
  StoredBackups,
  siteHasMembers,
  UploadQuery,
} from './schema.ts'
import { allowDownload, findBackup, readBackups, startBackup, startCheck, testPlace } from './service.ts'

const pathOf = (name: string) => `/storage/backups/${name}`
const downloadOf = (name: string): Grant => ({ cookie: 'kith_backup', path: pathOf(name), seconds: 15 * 60 })
const UPLOAD: Grant = { cookie: 'kith_restore', path: '/storage/restore', seconds: 24 * 3600 }

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
      await allowDownload(ctx, call, use, backup)
      const grant = downloadOf(backup)
      const expires = setGrant(ctx, call.reply, grant, call.viewer.id)
      return { url: `${ctx.config.publicUrl}${grant.path}`, expires_at: wireTime(expires) }
    },
  })
}

export function restoreRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin: backups' }

  route('GET /admin/restore', {
    operationId: 'adminGetRestore',
    summary: 'Read whether a backup can replace this site, and how the last attempt ended',
    access,
    reply: { 200: RestoreState },
    handler: () => readRestore(ctx),
  })

  route('POST /admin/restore/uploads', {
    operationId: 'adminUploadBackup',
    summary: 'Start the upload of a backup to a new site',
    description:
      'Send its parts in order, as `PUT` requests with the query `offset`, the cookie of this reply and the bytes as body.',
    access,
    cookie: 'never',
    reply: { 200: RestoreUpload },
    errors: [siteHasMembers],
    handler: async ({ viewer, reply }) => {
      await beginUpload(ctx)
      setGrant(ctx, reply, UPLOAD, viewer.id)
      return { url: `${ctx.config.publicUrl}${UPLOAD.path}`, part_bytes: PART_BYTES }
    },
  })

  route('POST /admin/restore', {
    operationId: 'adminRestoreBackup',
    summary: 'Replace a new site by a backup; the server restarts',
    description:
      'Only while no one but the founder has an account. Everything of this site is deleted, and its founder too.',
    access,
    cookie: 'never',
    body: RestoreBody,
    example: { password: 'the password', backup: 'kith-20260301T033000Z.backup' },
    reply: { 204: Empty },
    errors: [
      ...OWNER_PROOF_ERRORS,
      ...[wrongPassword, wrongCode, siteHasMembers, noBackupPlace, noSuchBackup],
      ...[noUpload, noBackupFile, passphraseNeeded],
    ],
    handler: async (call) => {
      const { backup, ...proof } = call.body
      const use = await verifyOwner(ctx, ownAttemptCounter(ctx, call), call.viewer, proof)
      await requestRestore(ctx, call, use, backup)
    },
  })
}

/** Accepts parts of an upload outside the API, because they are no JSON. */
export function restoreBytesRoutes(server: Server, ctx: Context) {
  encapsulate(server, async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.put(
      UPLOAD.path,
      {
        bodyLimit: PART_BYTES,
        config: { access: 'public' },
        onRequest: [
          limitByteRequests(ctx),
          // Runs before the server reads the body.
          (request: FastifyRequest) => requireGrant(ctx, request, UPLOAD),
        ],
        schema: { hide: true, querystring: UploadQuery },
      },
      async (request) => {
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const { offset } = request.query as { offset: number }
        return { bytes: await writePart(ctx, offset, bytes) }
      },
    )
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
      await requireGrant(ctx, request, downloadOf(backup))
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
