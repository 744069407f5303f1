const shown = { title: '', counts: {} as Record<string, number> }

const write = () => {
  const count = Object.values(shown.counts).reduce((sum, each) => sum + each, 0)
  document.title = count > 0 ? `(${count}) ${shown.title}` : shown.title
  return count
}

export function setTitle(title: string): void {
  shown.title = title
  write()
}

export function setUnread(kind: 'notifications' | 'chats', count: number): void {
  if (shown.title === '') shown.title = document.title
  shown.counts[kind] = count
  const sum = write()
  // Browsers support a badge only for installed sites.
  void navigator.setAppBadge?.(sum)?.catch(() => {})
}
