/** Secrets of webhooks created since the console was loaded, by id. The server returns each secret only once. */
export const createdSecrets = new Map<number, string>()
