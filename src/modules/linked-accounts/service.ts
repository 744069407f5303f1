import { randomBytes } from 'node:crypto'
import {
  accountDisabled,
  checkNewName,
  checkSecondFactor,
  hasPassword,
  holdWaysIn,
  openSession,
  refuseSuspended,
  registerPerson,
  signIn,
  whyDisabled,
} from '#modules/accounts/index.ts'
import { findViewer, type IssuedToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import type { Device } from '#platform/http/device.ts'
import type { CountAttempt } from '#platform/http.ts'
import {
  lastWayIn,
  linkedAlready,
  linkedToAnother,
  noSuchProvider,
  notLinked,
  notProven,
  providerAway,
} from './errors.ts'
import { createProvider } from './providers/openid.ts'
import { type Departure, type Provider, ProviderAway } from './providers/provider.ts'
import { deleteLinked, findLinked, holdEnabled, insertLinked, listLinked } from './queries.ts'
import type { LinkedToken, OutsideEntry, OutsideRegistration, OutsideSignIn, Returned } from './schema.ts'

/** How long a browser may be away, and how long the proof it comes back with is good. */
const AWAY_MS = 10 * 60_000

const providers = new WeakMap<Context['config'], Map<string, Provider>>()

/** The provider of a name; 404 unless it is configured. */
export function providerOf({ config }: Context, name: string): Provider {
  const known = providers.get(config) ?? new Map<string, Provider>()
  providers.set(config, known)
  const settings = Object.hasOwn(config.outsideProviders, name) ? config.outsideProviders[name] : undefined
  if (!settings) throw noSuchProvider()
  const provider = known.get(name) ?? createProvider(settings)
  known.set(name, provider)
  return provider
}

type Sealed = { use: 'departure'; departure: Departure } | { use: 'proof'; subject: string }

const sealFor = ({ secrets }: Context, provider: string, content: Sealed) =>
  secrets.seal(JSON.stringify({ ...content, kind: 'linked account', provider, until: Date.now() + AWAY_MS }))

/** What was sealed for this use and provider and is still good. */
function openSealed<U extends Sealed['use']>(
  { secrets }: Context,
  provider: string,
  use: U,
  sealed: string,
): Extract<Sealed, { use: U }> | undefined {
  try {
    const content = JSON.parse(secrets.open(sealed))
    const good =
      content.kind === 'linked account' &&
      content.provider === provider &&
      content.use === use &&
      content.until > Date.now()
    return good ? content : undefined
  } catch {
    return undefined
  }
}

async function proven(question: Promise<string | null>): Promise<string> {
  try {
    const subject = await question
    if (subject === null) throw notProven()
    return subject
  } catch (error) {
    throw error instanceof ProviderAway ? providerAway({ headers: { 'Retry-After': 30 } }) : error
  }
}

/** The id of the account that a token proves: one of ours after a web sign-in, or one of the provider. */
async function subjectOf(ctx: Context, name: string, token: string): Promise<string> {
  const provider = providerOf(ctx, name)
  const proof = openSealed(ctx, name, 'proof', token)
  return proof ? proof.subject : proven(provider.subjectOfToken(token))
}

/** Sends a browser to the provider, with what only this browser will know when it comes back. */
export async function depart(ctx: Context, name: string) {
  const provider = providerOf(ctx, name)
  const secret = () => randomBytes(32).toString('base64url')
  const departure = { state: secret(), nonce: secret(), verifier: secret() }
  try {
    const url = await provider.authorizationUrl(departure)
    return { url, verification: sealFor(ctx, name, { use: 'departure', departure }) }
  } catch (error) {
    throw error instanceof ProviderAway ? providerAway({ headers: { 'Retry-After': 30 } }) : error
  }
}

/** Turns what a browser came back with into a proof, good for a few minutes. */
export async function comeBack(ctx: Context, name: string, { verification, ...returned }: Returned) {
  const provider = providerOf(ctx, name)
  const sealed = openSealed(ctx, name, 'departure', verification)
  if (!sealed) throw notProven()
  const subject = await proven(provider.subjectOfReturn(new URLSearchParams(returned), sealed.departure))
  return { access_token: sealFor(ctx, name, { use: 'proof', subject }) }
}

const withPassword = async (sql: Db, userId: number, issued: IssuedToken): Promise<LinkedToken> => ({
  ...issued,
  initial_password: await hasPassword(sql, userId),
})

/** Signs in whoever has linked the account. */
export async function signInOutside(
  ctx: Context,
  name: string,
  { access_token: token, second_factor }: OutsideEntry,
  device: Device,
): Promise<LinkedToken> {
  const subject = await subjectOf(ctx, name, token)
  const userId = await findLinked(ctx.sql, name, subject)
  if (userId === undefined) throw notLinked()
  await checkSecondFactor(ctx, userId, second_factor)
  return transaction(ctx.sql, async (tx) => {
    if (!(await holdEnabled(tx, userId))) throw await whyDisabled(tx, userId)
    await refuseSuspended(tx, userId)
    return withPassword(tx, userId, await openSession(ctx, tx, userId, device))
  })
}

/** Links an account in the caller's transaction. */
const link = (tx: Db, provider: string, subject: string, userId: number) =>
  onConstraint(insertLinked(tx, provider, subject, userId), {
    linked_accounts_taken: linkedToAnother,
    linked_accounts_one_each: linkedAlready,
  })

/** Makes a person with a link and no password; only looks at the name where asked to. */
export async function registerOutside(
  ctx: Context,
  provider: string,
  {
    access_token: token,
    name: wanted,
    check,
    invitation_code: invitation,
    introduction,
  }: OutsideRegistration,
  device: Device,
): Promise<LinkedToken | 'free' | 'waits'> {
  const subject = await subjectOf(ctx, provider, token)
  const arrival = { door: 'outside', invitation, introduction, device } as const
  const name = await checkNewName(ctx, arrival, wanted)
  if (check) return 'free'
  const issued = await registerPerson(ctx, arrival, { name, password: null }, (tx, id) =>
    link(tx, provider, subject, id),
  )
  return issued ? { ...issued, initial_password: false } : 'waits'
}

/** Links an account to a person; again changes nothing. */
export async function linkAccount(ctx: Context, name: string, token: string, userId: number): Promise<void> {
  const subject = await subjectOf(ctx, name, token)
  if ((await findLinked(ctx.sql, name, subject)) === userId) return
  await link(ctx.sql, name, subject, userId)
}

/** Links an account to the person who signs in with it. */
export async function linkBySignIn(
  ctx: Context,
  countAttempt: CountAttempt,
  name: string,
  { access_token: token, ...credentials }: OutsideSignIn,
  device: Device,
): Promise<LinkedToken> {
  // First, because it counts the attempt: nobody makes us ask the provider without end.
  const issued = await signIn(ctx, countAttempt, credentials, device)
  const subject = await subjectOf(ctx, name, token)
  const viewer = await findViewer(ctx, issued.access_token)
  if (!viewer) throw accountDisabled()
  if ((await findLinked(ctx.sql, name, subject)) !== viewer.id) await link(ctx.sql, name, subject, viewer.id)
  return { ...issued, initial_password: true }
}

/** Ends a link, unless it is the only way in. */
export async function unlinkAccount(ctx: Context, name: string, userId: number): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    // Two links that end at once would each leave the other: the lock has the second one see what is left.
    const others = await holdWaysIn(tx, userId)
    if (!(await deleteLinked(tx, name, userId))) throw notLinked()
    if (!others && (await listLinked(tx, userId)).length === 0) throw lastWayIn()
  })
}
