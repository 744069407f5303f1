/** Parameters of an authorization request. `verifier` and `nonce` stay here until the browser returns. */
export type Departure = { state: string; nonce: string; verifier: string }

/** A sign-in provider. Methods return null when nothing is proven. */
export type Provider = {
  /** Returns the URL at which the user authorizes. */
  authorizationUrl(departure: Departure): Promise<string>
  /** Returns the account id, from the URL with which the browser returned. */
  subjectOfReturn(returned: URLSearchParams, departure: Departure): Promise<string | null>
  /** Returns the account id of an access token that was issued to this site. */
  subjectOfToken(token: string): Promise<string | null>
}

/** Thrown when the provider is unreachable. */
export class ProviderAway extends Error {}
