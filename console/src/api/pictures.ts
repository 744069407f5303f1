/**
 * Returns the path of a picture on the current host, because the console may run under a different host than the
 * public URL.
 */
export function fileAddressOf(attachment: unknown): string | undefined {
  const address =
    typeof attachment === 'string' ? attachment : (attachment as { url?: string } | null | undefined)?.url
  if (!address || !URL.canParse(address, location.href)) return undefined
  const { pathname, search } = new URL(address, location.href)
  return pathname + search
}
