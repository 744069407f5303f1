import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  accountDisabled,
  checkNewcomerName,
  checkSecondFactor,
  disabledError,
  hasPassword,
  lockSignInMethods,
  openSession,
  registerUser,
  signIn,
  verifyOwner,
} from '#modules/accounts/index.ts'
import { alertAccountOwner } from '#modules/mail/index.ts'
import { requireNotSuspended } from '#modules/sanctions/index.ts'
import type { IssuedToken } from '#modules/tokens/index.ts'
import { enabledUser, findEnabledIds } from '#modules/users/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import type { CountAttempt, Device, Viewer } from '#platform/http'
import type { Departure, Provider } from './openid.ts'
import {
  type LinkedToken,
  lastWayIn,
  linkedAlready,
  linkedToAnother,
  noSuchProvider,
  notLinked,
  notProven,
  type OutsideEntry,
  type OutsideLink,
  type OutsideRegistration,
  type OutsideSignIn,
  ProviderAway,
  providerAway,
  type Returned,
} from './schema.ts'

async function findLinked(sql: Db, provider: string, subject: string): Promise<number | undefined> {
  const [row] = await sql<{ user_id: number }[]>`
    select user_id from linked_accounts where provider = ${provider} and subject = ${subject}`
  return row?.user_id
}

export async function listLinked(sql: Db, userId: number): Promise<string[]> {
  const rows = await sql<{ provider: string }[]>`
    select provider from linked_accounts where user_id = ${userId} order by provider limit 100`
  return rows.map(({ provider }) => provider)
}

type LinkedRow = Row<'linked_accounts', 'provider' | 'created_at' | 'used_at'>

export const listLinks = (sql: Db, userId: number) => sql<LinkedRow[]>`
  select provider, created_at, used_at from linked_accounts where user_id = ${userId}
  order by provider limit 100`

const markUsed = (sql: Db, provider: string, subject: string) => sql`
  update linked_accounts set used_at = now() where provider = ${provider} and subject = ${subject}`

/** Returns false for a proof that was used before. Also deletes expired proofs. */
async function insertUsedProof(sql: Db, digest: Buffer, until: number): Promise<boolean> {
  const { count } = await sql`
    with expired as (delete from used_link_proofs where expires_at < now())
    insert into used_link_proofs (digest, expires_at)
    values (${digest}, to_timestamp(${until}::float8 / 1000)) on conflict do nothing`
  return count > 0
}

async function insertLinked(sql: Db, provider: string, subject: string, userId: number): Promise<boolean> {
  const { count } = await sql`
    insert into linked_accounts (provider, subject, user_id) values (${provider}, ${subject}, ${userId})
    on conflict do nothing`
  return count > 0
}

async function deleteLinked(sql: Db, provider: string, userId: number): Promise<boolean> {
  const { count } = await sql`
    delete from linked_accounts where provider = ${provider} and user_id = ${userId}`
  return count > 0
}

const lockEnabledAccount = async (tx: Tx, userId: number): Promise<boolean> =>
  (await tx`${enabledUser(tx, userId)} for share`).length > 0

export const unlinkAll = async (sql: Db, userId: number): Promise<boolean> =>
  (await sql`delete from linked_accounts where user_id = ${userId}`).count > 0

/**
 * Time limit for the browser's return from the provider, and then for the use of the resulting proof.
 */
const SEAL_MS = 10 * 60_000

const providers = defineState(() => new Map<string, Provider>())

export async function providerOf(ctx: Context, name: string): Promise<Provider> {
  const { config } = ctx
  const settings = Object.hasOwn(config.outsideProviders, name) ? config.outsideProviders[name] : undefined
  if (!settings) throw noSuchProvider()
  // Reads the public URL here instead of at start, because the URL is unknown until the server listens.
  const redirectUrl = settings.redirectUrl ?? `${config.publicUrl}/sign-in/${name}`
  const configured = providers(ctx)
  // Loads the client library on first use. A static import would make every `kith` command read its many
  // files at start.
  const make = async () => (await import('./openid.ts')).createProvider({ ...settings, redirectUrl })
  const provider = configured.get(name) ?? (await make())
  configured.set(name, provider)
  return provider
}

type Sealed = { use: 'departure'; departure: Departure } | { use: 'proof'; subject: string; id: string }

const sealFor = ({ secrets }: Context, provider: string, content: Sealed) =>
  secrets.seal(JSON.stringify({ ...content, kind: 'linked account', provider, until: Date.now() + SEAL_MS }))

/** Decrypts a value. Returns undefined if it expired, or was sealed for another use or provider. */
function openSealed<U extends Sealed['use']>(
  { secrets }: Context,
  provider: string,
  use: U,
  sealed: string,
): (Extract<Sealed, { use: U }> & { until: number }) | undefined {
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

async function confirmed(question: Promise<string | null>): Promise<string> {
  try {
    const subject = await question
    if (subject === null) throw notProven()
    return subject
  } catch (error) {
    throw error instanceof ProviderAway ? providerAway({ headers: { 'Retry-After': 30 } }) : error
  }
}

type ProvenSubject = { subject: string; use(tx: Db): Promise<void> }

/** Accepts an access token of the provider, or the single-use proof of a web sign-in. */
async function subjectOf(ctx: Context, name: string, token: string): Promise<ProvenSubject> {
  const provider = await providerOf(ctx, name)
  const proof = openSealed(ctx, name, 'proof', token)
  if (!proof) return { subject: await confirmed(provider.subjectOfToken(token)), use: async () => {} }
  const digest = createHash('sha256').update(JSON.stringify(proof)).digest()
  return {
    subject: proof.subject,
    use: async (tx) => {
      if (!(await insertUsedProof(tx, digest, proof.until))) throw notProven()
    },
  }
}

/**
 * Starts a web sign-in at a provider. The returned `verification` contains encrypted secrets of the sign-in.
 */
export async function depart(ctx: Context, name: string) {
  const provider = await providerOf(ctx, name)
  const secret = () => randomBytes(32).toString('base64url')
  const departure = { state: secret(), nonce: secret(), verifier: secret() }
  try {
    const url = await provider.authorizationUrl(departure)
    return { url, verification: sealFor(ctx, name, { use: 'departure', departure }) }
  } catch (error) {
    throw error instanceof ProviderAway ? providerAway({ headers: { 'Retry-After': 30 } }) : error
  }
}

/**
 * Verifies the browser's return from the provider. Returns a proof of the external account that is valid for ten
 * minutes.
 */
export async function comeBack(ctx: Context, name: string, { verification, ...returned }: Returned) {
  const provider = await providerOf(ctx, name)
  const sealed = openSealed(ctx, name, 'departure', verification)
  if (!sealed) throw notProven()
  const subject = await confirmed(provider.subjectOfReturn(new URLSearchParams(returned), sealed.departure))
  return { access_token: sealFor(ctx, name, { use: 'proof', subject, id: randomUUID() }) }
}

const withPassword = async (sql: Db, userId: number, issued: IssuedToken): Promise<LinkedToken> => ({
  ...issued,
  initial_password: await hasPassword(sql, userId),
})

export async function signInOutside(
  ctx: Context,
  name: string,
  { access_token: token, second_factor }: OutsideEntry,
  device: Device,
): Promise<LinkedToken> {
  const { subject, use } = await subjectOf(ctx, name, token)
  const userId = await findLinked(ctx.sql, name, subject)
  if (userId === undefined) throw notLinked()
  await checkSecondFactor(ctx, userId, second_factor)
  return transaction(ctx.sql, async (tx) => {
    if (!(await lockEnabledAccount(tx, userId))) throw await disabledError(tx, userId)
    await requireNotSuspended(tx, userId)
    await use(tx)
    await markUsed(tx, name, subject)
    return withPassword(tx, userId, await openSession(ctx, tx, userId, device))
  })
}

/** Returns false for a repeated link, also when a concurrent request has inserted the link. */
async function insertLink(tx: Db, provider: string, subject: string, userId: number): Promise<boolean> {
  if (await insertLinked(tx, provider, subject, userId)) return true
  const linkedTo = await findLinked(tx, provider, subject)
  if (linkedTo === userId) return false
  throw linkedTo === undefined ? linkedAlready() : linkedToAnother()
}

/** Links an external account to a user and alerts the user. A repeated link changes nothing. */
async function link(
  ctx: Context,
  tx: Db,
  provider: string,
  { subject, use }: ProvenSubject,
  userId: number,
): Promise<void> {
  await use(tx)
  if (await insertLink(tx, provider, subject, userId)) await alertAccountOwner(ctx, tx, userId, 'link')
}

export async function registerOutside(
  ctx: Context,
  provider: string,
  {
    access_token: token,
    name: wanted,
    check,
    invitation_code: invitation,
    introduction,
    agreed,
  }: OutsideRegistration,
  device: Device,
): Promise<LinkedToken | 'free' | 'waits'> {
  const { subject, use } = await subjectOf(ctx, provider, token)
  const arrival = { door: 'outside', invitation, introduction, agreed, device } as const
  const name = await checkNewcomerName(ctx, arrival, wanted)
  if (check) return 'free'
  const issued = await registerUser(ctx, arrival, { name, password: null }, async (tx, id) => {
    await use(tx)
    await insertLink(tx, provider, subject, id)
  })
  return issued ? { ...issued, initial_password: false } : 'waits'
}

/**
 * Requires proof of the local account. Otherwise a stolen session token would suffice to link an account
 * (sign-in-26).
 */
export async function linkAccount(
  ctx: Context,
  countAttempt: CountAttempt,
  name: string,
  { access_token: token, ...given }: OutsideLink,
  viewer: Viewer,
): Promise<void> {
  const useProof = await verifyOwner(ctx, countAttempt, viewer, given)
  const proven = await subjectOf(ctx, name, token)
  await transaction(ctx.sql, async (tx) => {
    await useProof(tx)
    await link(ctx, tx, name, proven, viewer.id)
  })
}

export async function linkBySignIn(
  ctx: Context,
  countAttempt: CountAttempt,
  name: string,
  { access_token: token, ...credentials }: OutsideSignIn,
  device: Device,
): Promise<LinkedToken> {
  // Verifies the credentials before the request to the provider, so that the limit of sign-in attempts also limits
  // the requests to the provider.
  const issued = await signIn(ctx, countAttempt, credentials, device, async (userId) => {
    const proven = await subjectOf(ctx, name, token)
    if ((await findEnabledIds(ctx.sql, [userId])).length === 0) throw accountDisabled()
    return (tx) => link(ctx, tx, name, proven, userId)
  })
  return { ...issued, initial_password: true }
}

export async function unlinkAccount(ctx: Context, name: string, userId: number): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    // Locks the account. Otherwise concurrent removals of the last two linked accounts could both succeed.
    const others = await lockSignInMethods(tx, userId)
    if (!(await deleteLinked(tx, name, userId))) throw notLinked()
    await alertAccountOwner(ctx, tx, userId, 'unlink')
    if (!others && (await listLinked(tx, userId)).length === 0) throw lastWayIn()
  })
}

export async function deleteLinks(ctx: Context, tx: Tx, userId: number): Promise<void> {
  if (await unlinkAll(tx, userId)) await alertAccountOwner(ctx, tx, userId, 'unlink')
}
