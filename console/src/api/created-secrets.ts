/**
 * Secrets of webhooks created since the console was loaded, by webhook id. The server returns each secret
 * only once.
 */
export const createdSecrets = new Map<number, string>()
