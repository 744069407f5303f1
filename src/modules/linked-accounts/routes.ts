import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import {
  accountDisabled,
  accountWaiting,
  FACTOR_ERRORS,
  OWNER_PROOF_ERRORS,
  REGISTRATION_RULE_ERRORS,
  wrongCode,
  wrongPassword,
  wrongSignIn,
} from '#modules/accounts/index.ts'
import { accountSuspended } from '#modules/sanctions/index.ts'
import { NAME_ERRORS } from '#modules/users/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import {
  attemptCounter,
  deviceOf,
  Empty,
  localizedMessage,
  Message,
  ownAttemptCounter,
  routesOn,
  type Server,
  Type,
} from '#platform/http'
import {
  CodeParams,
  codeWithoutState,
  Departed,
  LinkedAccount,
  LinkedToken,
  lastWayIn,
  linkedAlready,
  linkedToAnother,
  noSuchProvider,
  notLinked,
  notProven,
  OutsideEntry,
  OutsideLink,
  OutsideRegistration,
  OutsideSignIn,
  OutsideToken,
  ProviderParams,
  providerAway,
  Returned,
} from './schema.ts'
import {
  comeBack,
  depart,
  linkAccount,
  linkBySignIn,
  listLinked,
  listLinks,
  providerOf,
  registerOutside,
  signInOutside,
  unlinkAccount,
} from './service.ts'

export function linkedAccountRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })
  const params = ProviderParams
  const load = (call: { params: { provider: string } }) => providerOf(ctx, call.params.provider)
  const errors = [noSuchProvider, notProven, providerAway]
  const linkErrors = [...errors, linkedToAnother, linkedAlready]

  route('POST /socialite/:provider/departures', {
    operationId: 'departToProvider',
    summary: 'Start a browser sign-in; returns the URL to open and the state to store',
    access: 'public',
    params,
    reply: { 201: Departed },
    errors,
    load,
    handler: async (call) => {
      await attemptCounter(ctx, call)()
      return depart(ctx, call.params.provider)
    },
  })

  route('POST /socialite/:provider/returns', {
    operationId: 'returnFromProvider',
    summary: "Exchange the provider's redirect for an access token",
    access: 'public',
    cookie: 'never',
    params,
    body: Returned,
    reply: { 201: OutsideToken },
    errors,
    load,
    handler: async (call) => {
      await attemptCounter(ctx, call)()
      return comeBack(ctx, call.params.provider, call.body)
    },
  })

  route('GET /socialite/getAccess/:code', {
    operationId: 'exchangeBareCode',
    summary: 'Reject a provider code without state and verifier',
    description: 'For old web clients. The response is always 422, and the code is not used (sign-in-29).',
    access: 'public',
    deprecated: true,
    personal: 'path',
    params: CodeParams,
    reply: { 422: Message },
    errors: [codeWithoutState],
    handler: () => {
      throw codeWithoutState()
    },
  })

  route('POST /socialite/:provider', {
    operationId: 'signInWithProvider',
    summary: 'Sign in with a linked external account',
    access: 'public',
    cookie: 'never',
    params,
    body: OutsideEntry,
    reply: { 201: LinkedToken },
    errors: [...errors, notLinked, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    load,
    handler: async (call) => {
      await attemptCounter(ctx, call)()
      return signInOutside(ctx, call.params.provider, call.body, deviceOf(call.request))
    },
  })

  route('PATCH /socialite/:provider', {
    operationId: 'registerWithProvider',
    summary: 'Register with an external account; with `check` only test whether the name is free',
    access: 'public',
    cookie: 'never',
    params,
    body: OutsideRegistration,
    reply: { 201: LinkedToken, 202: Message, 204: Empty },
    errors: [...linkErrors, ...NAME_ERRORS, sensitiveWords, ...REGISTRATION_RULE_ERRORS],
    load,
    handler: async (call) => {
      await attemptCounter(ctx, call)()
      const registered = await registerOutside(ctx, call.params.provider, call.body, deviceOf(call.request))
      if (registered === 'free') return call.reply.code(204).send()
      return registered === 'waits'
        ? call.reply
            .code(202)
            .send(localizedMessage(call.request, accountWaiting.text.en, accountWaiting.text.zh))
        : registered
    },
  })

  route('PUT /socialite/:provider', {
    operationId: 'linkBySignIn',
    summary: 'Link an external account by login and password, and sign in',
    access: 'public',
    cookie: 'never',
    params,
    body: OutsideSignIn,
    reply: { 201: LinkedToken },
    errors: [...linkErrors, wrongSignIn, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    load,
    handler: (call) =>
      linkBySignIn(ctx, attemptCounter(ctx, call), call.params.provider, call.body, deviceOf(call.request)),
  })

  route('GET /user/socialite', {
    operationId: 'listLinkedAccounts',
    summary: 'List providers with a linked account of mine',
    access: 'user',
    reply: { 200: Type.Array(Type.String()) },
    returns: 'Names of providers.',
    handler: ({ viewer }) => listLinked(ctx.sql, viewer.id),
  })

  route('GET /user/linked-accounts', {
    operationId: 'listLinkedAccountsInFull',
    summary: 'List my linked external accounts with the times of linking and last use',
    access: 'user',
    reply: { 200: Type.Array(LinkedAccount) },
    handler: async ({ viewer }) =>
      (await listLinks(ctx.sql, viewer.id)).map(({ provider, created_at, used_at }) => ({
        provider,
        linked_at: wireTime(created_at),
        used_at: wireTimeOrNull(used_at),
      })),
  })

  route('PATCH /user/socialite/:provider', {
    operationId: 'linkAccount',
    summary: 'Link an external account to mine, with a proof of ownership',
    whileSilenced: true,
    access: 'user',
    params,
    body: OutsideLink,
    reply: { 201: Message },
    errors: [...linkErrors, ...OWNER_PROOF_ERRORS, wrongPassword, wrongCode],
    load,
    handler: async (call) => {
      const countAttempt = ownAttemptCounter(ctx, call)
      await countAttempt()
      await linkAccount(ctx, countAttempt, call.params.provider, call.body, call.viewer)
      return localizedMessage(call.request, 'The account is linked.', '绑定成功。')
    },
  })

  route('DELETE /user/socialite/:provider', {
    operationId: 'unlinkAccount',
    summary: 'Unlink an external account, unless it is the only way to sign in',
    whileSilenced: true,
    access: 'user',
    params,
    reply: { 204: Empty },
    errors: [notLinked, lastWayIn],
    handler: ({ params: { provider }, viewer }) => unlinkAccount(ctx, provider, viewer.id),
  })
}
