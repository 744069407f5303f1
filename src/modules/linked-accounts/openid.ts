import * as client from 'openid-client'
import { messageOf } from '#lib/faults.ts'
import type { OutsideProvider } from '#platform/config'
import { ProviderAway } from './schema.ts'

/**
 * Secrets of one authorization request. The client holds them encrypted until the browser returns from the
 * provider.
 */
export type Departure = { state: string; nonce: string; verifier: string }

/**
 * Client of an external provider. The `subjectOf...` methods return null unless the provider confirms an account.
 */
export type Provider = {
  authorizationUrl(departure: Departure): Promise<string>
  subjectOfReturn(returned: URLSearchParams, departure: Departure): Promise<string | null>
  subjectOfToken(token: string): Promise<string | null>
}

const TIMEOUT_SECONDS = 10
const MAX_SUBJECT = 255

type WithProfile = Extract<OutsideProvider, { type: 'oauth2' }>

/** Returns true for a rejection by the provider, and false for an outage of the provider. */
const isRefusal = (error: unknown) =>
  error instanceof client.ResponseBodyError ||
  error instanceof client.AuthorizationResponseError ||
  error instanceof client.WWWAuthenticateChallengeError ||
  (error instanceof client.ClientError &&
    error.code !== 'OAUTH_TIMEOUT' &&
    !(error.cause instanceof TypeError))

async function ask(question: () => Promise<unknown>): Promise<string | null> {
  try {
    const subject = await question()
    const text = typeof subject === 'number' ? String(subject) : subject
    return typeof text === 'string' && text !== '' && text.length <= MAX_SUBJECT ? text : null
  } catch (error) {
    if (isRefusal(error)) return null
    throw new ProviderAway(`the provider could not be reached: ${messageOf(error)}`, { cause: error })
  }
}

export function createProvider(settings: OutsideProvider & { redirectUrl: string }): Provider {
  let found: Promise<client.Configuration> | undefined
  const configuration = () => {
    // Does not cache a failed discovery, because the provider may have recovered by the next request.
    found ??= configure(settings).catch((error: unknown) => {
      found = undefined
      throw new ProviderAway('the provider could not be found', { cause: error })
    })
    return found
  }

  const grant = async (returned: URLSearchParams, { state, nonce, verifier }: Departure) => {
    const address = new URL(settings.redirectUrl)
    for (const [name, value] of returned) address.searchParams.set(name, value)
    const isOpenId = settings.type === 'oidc'
    return client.authorizationCodeGrant(await configuration(), address, {
      expectedState: state,
      pkceCodeVerifier: verifier,
      idTokenExpected: isOpenId,
      ...(isOpenId ? { expectedNonce: nonce } : {}),
    })
  }

  const profile = async ({ profileUrl, subjectField }: WithProfile, token: string): Promise<unknown> => {
    const reply = await client.fetchProtectedResource(
      await configuration(),
      token,
      new URL(profileUrl),
      'GET',
    )
    if (!reply.ok) return undefined
    return ((await reply.json()) as Record<string, unknown>)[subjectField]
  }

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: settings.redirectUrl,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        ...(settings.scope === '' ? {} : { scope: settings.scope }),
        ...(settings.type === 'oidc' ? { nonce } : {}),
      })
      return url.href
    },
    subjectOfReturn: (returned, departure) =>
      ask(async () => {
        const tokens = await grant(returned, departure)
        return settings.type === 'oidc' ? tokens.claims()?.sub : profile(settings, tokens.access_token)
      }),
    subjectOfToken: (token) =>
      ask(async () => {
        if (settings.type === 'oauth2') return settings.acceptTokens ? profile(settings, token) : undefined
        // Introspection shows for which site the provider issued the token. A token for another site must not
        // be accepted.
        const claims = await client.tokenIntrospection(await configuration(), token)
        return claims.active && claims.client_id === settings.clientId ? claims.sub : undefined
      }),
  }
}

async function configure(settings: OutsideProvider): Promise<client.Configuration> {
  const { clientId, clientSecret } = settings
  const first = new URL(settings.type === 'oidc' ? settings.issuer : settings.tokenUrl)
  // The server's configuration permits plain HTTP for loopback addresses only.
  const insecure = first.protocol === 'http:'
  if (settings.type === 'oidc')
    return client.discovery(first, clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      ...(insecure ? { execute: [client.allowInsecureRequests] } : {}),
    })
  const config = new client.Configuration(
    {
      issuer: new URL(settings.authorizeUrl).origin,
      authorization_endpoint: settings.authorizeUrl,
      token_endpoint: settings.tokenUrl,
    },
    clientId,
    clientSecret,
  )
  config.timeout = TIMEOUT_SECONDS
  if (insecure) client.allowInsecureRequests(config)
  return config
}
