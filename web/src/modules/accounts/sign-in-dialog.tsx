import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

const WORDS = words({
  title: ['Sign in to continue', '请重新登录'],
  text: [
    'Your session has ended. What you typed is still here, and is sent after you sign in.',
    '登录已过期。你输入的内容仍然保留，登录后会继续发送。',
  ],
})

/** Dialog above a page whose session has ended. */
export function SignInDialog({
  viewer,
  onClose,
}: {
  viewer: Schema<'PrivateUser'>
  onClose(isSignedIn: boolean): void
}) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const cache = useQueryClient()
  return (
    <Dialog title={t.title} onClose={() => onClose(false)}>
      <p class="quiet">{t.text}</p>
      <SignInForm
        next={location.pathname + location.search}
        name={viewer.name}
        onDone={async () => {
          const { id } = await api.get('/user')
          // Another account must not send the typed text. The text stays in the drafts of its account.
          if (id !== viewer.id) return location.reload()
          onClose(true)
          void cache.invalidateQueries()
        }}
      />
    </Dialog>
  )
}
