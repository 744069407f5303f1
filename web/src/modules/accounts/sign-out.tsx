import { forgetAccount } from '../../app/account.ts'
import { loadScript } from '../../app/failures.ts'
import { useViewer } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({ signOut: ['Sign out', '退出登录'] })

/** Ends the session, and then deletes what the browser stores for the account. Other tabs reload as a guest. */
export function SignOut({ class: kind }: { class?: string }) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const { fail } = useToast()
  const leave = async () => {
    // Loaded on demand, because every page has this button.
    const { endSession } = await loadScript(() => import('./session.ts'))
    // A failure keeps the drafts, because the person is still signed in.
    await endSession()
    // A browser that refuses to delete must not keep the person on the page.
    await forgetAccount(viewer?.id ?? 0).catch(() => {})
    location.assign('/')
  }
  return (
    // A form, so that people can sign out without scripts.
    <form
      method="post"
      action="/sign-out"
      onSubmit={(event) => {
        event.preventDefault()
        void leave().catch(fail)
      }}
    >
      <button type="submit" class={kind}>
        {t.signOut}
      </button>
    </form>
  )
}
