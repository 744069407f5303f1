/** Returns the path of a picture on the current host, regardless of the host in its public URL. */
export function fileAddressOf(attachment: unknown): string | undefined {
  const address =
    typeof attachment === 'string' ? attachment : (attachment as { url?: string } | null | undefined)?.url
  if (!address || !URL.canParse(address, location.href)) return undefined
  const { pathname, search } = new URL(address, location.href)
  return pathname + search
}
