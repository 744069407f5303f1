import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import {
  fileBroken,
  fileMissing,
  fileNotUsable,
  fileTooLarge,
  isTruncatedUpload,
  maxNodeBytes,
  refusedFile,
  storeNode,
  UPLOAD_ERRORS,
} from '#modules/files/index.ts'
import { balancesOf } from '#modules/ledger/index.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { Empty, encapsulate, ownAttemptCounter, routesOn, type Server } from '#platform/http'
import { findPrivateRow } from '../identity/queries.ts'
import { CONTACT_ERRORS } from '../identity/registration-rules.ts'
import { signInAgain, wrongCode, wrongPassword } from '../identity/schema.ts'
import {
  BackgroundForm,
  type Balances,
  Binding,
  bind,
  notBound,
  PrivateUser,
  ProfilePatch,
  proofRequired,
  Unbinding,
  unbind,
  updateProfile,
  wrongOldCode,
} from './service.ts'

function balancesView(
  userId: number,
  { wallet, income, expenses, points }: Awaited<ReturnType<typeof balancesOf>>,
): Balances {
  return {
    wallet: { id: userId, user_id: userId, balance: wallet },
    new_wallet: { owner_id: userId, balance: wallet, total_income: income, total_expenses: expenses },
    currency: { owner_id: userId, type: 1, sum: points },
  }
}

async function privateUser(ctx: Context, userId: number): Promise<PrivateUser> {
  const [users, own, balances] = await Promise.all([
    userViews(ctx, ctx.sql, [userId], userId),
    findPrivateRow(ctx.sql, userId),
    balancesOf(ctx.sql, userId),
  ])
  const user = users.get(userId)
  if (!user || !own) throw notFound()
  return { ...user, ...own, ...balancesView(userId, balances) }
}

export function profileRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user', {
    operationId: 'getMe',
    summary: 'Read my account',
    access: 'user',
    reply: { 200: PrivateUser },
    errors: [notFound],
    handler: ({ viewer }) => privateUser(ctx, viewer.id),
  })

  route('PATCH /user', {
    operationId: 'updateMe',
    summary: 'Change my profile; null or an empty text clears a field',
    access: 'user',
    body: ProfilePatch,
    reply: { 204: Empty },
    errors: [...NAME_ERRORS, fileNotUsable],
    handler: ({ viewer, body }) => updateProfile(ctx, viewer.id, body),
  })

  encapsulate(server, async (scope) => {
    await scope.register(multipart, {
      limits: { files: 1, fields: 10, fieldSize: 10_000, fileSize: maxNodeBytes },
      throwFileSizeLimit: false,
    })
    routesOn(scope, ctx, { tag: 'Me' })('POST /user/bg', {
      operationId: 'uploadBackground',
      summary: 'Upload my profile background as multipart field `image`',
      access: 'user',
      consumes: ['multipart/form-data'],
      body: BackgroundForm,
      reply: { 204: Empty },
      errors: UPLOAD_ERRORS,
      handler: async ({ request, viewer }) => {
        const bg = await storeNode(ctx, viewer.id, await readPicture(request, 'image'), 'image')
        await updateProfile(ctx, viewer.id, { bg })
      },
    })
  })

  route('PUT /user', {
    operationId: 'bindAccount',
    summary: 'Bind a phone or e-mail with a code; replacing one requires a proof',
    whileSilenced: true,
    access: 'user',
    body: Binding,
    reply: { 204: Empty },
    errors: [
      wrongCode,
      proofRequired,
      wrongPassword,
      wrongOldCode,
      signInAgain,
      emailTaken,
      phoneTaken,
      ...CONTACT_ERRORS,
    ],
    handler: (call) => bind(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body),
  })

  for (const [field, name] of [
    ['phone', 'Phone'],
    ['email', 'Email'],
  ] as const)
    route(`DELETE /user/${field}`, {
      operationId: `unbind${name}`,
      summary: `Unbind my ${field}, with password and code`,
      access: 'user',
      body: Unbinding,
      reply: { 204: Empty },
      errors: [notBound[field], wrongPassword, wrongCode],
      handler: (call) => unbind(ctx, ownAttemptCounter(ctx, call), call.viewer.id, field, call.body),
    })
}

async function readPicture(request: FastifyRequest, field: string): Promise<Buffer> {
  if (!request.isMultipart()) throw refusedFile(field, fileMissing)
  try {
    const part = await request.file()
    if (part?.fieldname !== field) {
      part?.file.resume()
      throw refusedFile(field, fileMissing)
    }
    const bytes = await part.toBuffer()
    if (part.file.truncated) throw refusedFile(field, fileTooLarge)
    return bytes
  } catch (error) {
    throw isTruncatedUpload(error) ? refusedFile(field, fileBroken) : error
  }
}
