// Displays push messages (docs/push.md). Part of the service worker at /sw.js.
self.addEventListener('push', (event) => {
  const { title, text, badge, data } = event.data.json()
  // A new like or follow replaces the previous one on the screen, as on phones.
  const tag = ['like', 'follow'].includes(data.type) ? data.type : `${data.type} ${data.id}`
  const link = data.link ?? (data.type === 'chat' ? '/' : '/notifications')
  event.waitUntil(
    Promise.all([
      self.registration.showNotification(title, {
        body: text,
        tag,
        renotify: data.type === 'chat',
        data: { link },
      }),
      badge > 0 ? navigator.setAppBadge?.(badge) : navigator.clearAppBadge?.(),
    ]),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const address = new URL(event.notification.data.link, self.location.origin)
  if (!['http:', 'https:'].includes(address.protocol)) return
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((windows) => {
      const open = windows.find(({ url }) => url === address.href)
      return open ? open.focus() : self.clients.openWindow(address.href)
    }),
  )
})
