import {
  accountDisabled,
  accountSuspended,
  accountWaiting,
  DOOR_ERRORS,
  FACTOR_ERRORS,
  NAME_ERRORS,
  wrongSignIn,
} from '#modules/accounts/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { deviceOf } from '#platform/http/device.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, ownAttemptsOf, type Server, say } from '#platform/http.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import {
  lastWayIn,
  linkedAlready,
  linkedToAnother,
  noSuchProvider,
  notLinked,
  notProven,
  providerAway,
} from './errors.ts'
import { listLinked } from './queries.ts'
import {
  Departed,
  LinkedToken,
  OutsideEntry,
  OutsideRegistration,
  OutsideSignIn,
  OutsideToken,
  ProviderParams,
  Returned,
} from './schema.ts'
import {
  comeBack,
  depart,
  linkAccount,
  linkBySignIn,
  providerOf,
  registerOutside,
  signInOutside,
  unlinkAccount,
} from './service.ts'

/** Signing in with an account of a provider outside (sign-in-23 to sign-in-26). */
export function linkedAccountRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })
  const params = ProviderParams
  const load = (call: { params: { provider: string } }) => providerOf(ctx, call.params.provider)
  const errors = [noSuchProvider, notProven, providerAway]
  const linkErrors = [...errors, linkedToAnother, linkedAlready]

  route('POST /socialite/:provider/departures', {
    operationId: 'departToProvider',
    summary: 'Begin a sign-in in a browser: where to send it, and what to keep until it comes back',
    access: 'public',
    params,
    reply: { 201: Departed },
    errors,
    load,
    handler: async (call) => {
      await attemptsOf(ctx, call)()
      return depart(ctx, call.params.provider)
    },
  })

  route('POST /socialite/:provider/returns', {
    operationId: 'returnFromProvider',
    summary: 'Turn what the provider sent the browser back with into an access token for the operations here',
    access: 'public',
    params,
    body: Returned,
    reply: { 201: OutsideToken },
    errors,
    load,
    handler: async (call) => {
      await attemptsOf(ctx, call)()
      return comeBack(ctx, call.params.provider, call.body)
    },
  })

  route('POST /socialite/:provider', {
    operationId: 'signInWithProvider',
    summary: 'Sign in with an account outside that is linked to somebody',
    access: 'public',
    params,
    body: OutsideEntry,
    reply: { 201: LinkedToken },
    errors: [...errors, notLinked, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    load,
    handler: async (call) => {
      await attemptsOf(ctx, call)()
      return signInOutside(ctx, call.params.provider, call.body, deviceOf(call.request))
    },
  })

  route('PATCH /socialite/:provider', {
    operationId: 'registerWithProvider',
    summary: 'Register with an account outside; with `check` only see whether the name can be had',
    access: 'public',
    params,
    body: OutsideRegistration,
    reply: { 201: LinkedToken, 202: Message, 204: Empty },
    errors: [...linkErrors, ...NAME_ERRORS, sensitiveWords, ...DOOR_ERRORS],
    load,
    handler: async (call) => {
      await attemptsOf(ctx, call)()
      const made = await registerOutside(ctx, call.params.provider, call.body, deviceOf(call.request))
      if (made === 'free') return call.reply.code(204).send()
      return made === 'waits'
        ? call.reply.code(202).send(say(call.request, accountWaiting.text.en, accountWaiting.text.zh))
        : made
    },
  })

  route('PUT /socialite/:provider', {
    operationId: 'linkBySignIn',
    summary: 'Link an account outside to the person whose login and password are given, and sign in',
    access: 'public',
    params,
    body: OutsideSignIn,
    reply: { 201: LinkedToken },
    errors: [...linkErrors, wrongSignIn, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    load,
    handler: (call) =>
      linkBySignIn(ctx, attemptsOf(ctx, call), call.params.provider, call.body, deviceOf(call.request)),
  })

  route('GET /user/socialite', {
    operationId: 'listLinkedAccounts',
    summary: 'List the providers at which I have linked an account',
    access: 'user',
    reply: { 200: Type.Array(Type.String()) },
    returns: 'The names of providers.',
    handler: ({ viewer }) => listLinked(ctx.sql, viewer.id),
  })

  route('PATCH /user/socialite/:provider', {
    operationId: 'linkAccount',
    summary: 'Link an account outside to me',
    whileSilenced: true,
    access: 'user',
    params,
    body: OutsideToken,
    reply: { 201: Message },
    errors: linkErrors,
    load,
    handler: async (call) => {
      await ownAttemptsOf(ctx, call)()
      await linkAccount(ctx, call.params.provider, call.body.access_token, call.viewer.id)
      return say(call.request, 'The account is linked.', '绑定成功。')
    },
  })

  route('DELETE /user/socialite/:provider', {
    operationId: 'unlinkAccount',
    summary: 'End the link of an account outside, unless it is the only way to sign in',
    whileSilenced: true,
    access: 'user',
    params,
    reply: { 204: Empty },
    errors: [notLinked, lastWayIn],
    handler: ({ params: { provider }, viewer }) => unlinkAccount(ctx, provider, viewer.id),
  })
}
