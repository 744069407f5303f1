import { forgetAccount } from './account.ts'
import { useViewer } from './site.ts'
import { useWords, words } from './words.ts'

const WORDS = words({ signOut: ['Sign out', '退出登录'] })

/** A form instead of a request of the scripts, so that people can sign out without them. */
export function SignOut({ class: kind }: { class?: string }) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  return (
    <form
      method="post"
      action="/sign-out"
      class="sign-out"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        // A browser that refuses to delete must not keep the person signed in.
        void forgetAccount(viewer?.id ?? 0)
          .catch(() => {})
          .then(() => form.submit())
      }}
    >
      <button type="submit" class={kind}>
        {t.signOut}
      </button>
    </form>
  )
}
