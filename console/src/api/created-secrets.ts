/** Secrets of webhooks created on this page, by id, because the server tells each once. */
export const createdSecrets = new Map<number, string>()
