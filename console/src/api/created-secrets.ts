/** Secrets of webhooks created on this page, by id. The server shows each secret once. */
export const createdSecrets = new Map<number, string>()
