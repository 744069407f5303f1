declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, options: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}
