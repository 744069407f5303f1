/** What a browser is sent away with; `verifier` and `nonce` stay here until it comes back. */
export type Departure = { state: string; nonce: string; verifier: string }

/** A way to prove who somebody is at a provider outside. What is not proven is null. */
export type Provider = {
  /** Where a browser goes to ask the person. */
  authorizationUrl(departure: Departure): Promise<string>
  /** The id of the account, for the address that the browser came back with. */
  subjectOfReturn(returned: URLSearchParams, departure: Departure): Promise<string | null>
  /** The id of the account whose access token a client brings, where it was issued to this site. */
  subjectOfToken(token: string): Promise<string | null>
}

/** The provider could not be asked. */
export class ProviderAway extends Error {}
