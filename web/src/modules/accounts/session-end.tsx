import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { onSessionEnd } from '../../app/sign-in-again.ts'
import { useViewer } from '../../app/site.ts'

type Props = Parameters<typeof import('./sign-in-dialog.tsx')['SignInDialog']>[0]

/** Opens the dialog for signing in when a write of the page finds that the session has ended. */
export function SessionEnd() {
  const viewer = useViewer()
  const [shown, setShown] = useState<{ Body: ComponentType<Props>; answer(isSignedIn: boolean): void }>()
  useEffect(
    () =>
      onSessionEnd(async () => {
        const { SignInDialog } = await import('./sign-in-dialog.tsx')
        const isSignedIn = await new Promise<boolean>((answer) => setShown({ Body: SignInDialog, answer }))
        setShown(undefined)
        return isSignedIn
      }),
    [],
  )
  if (!shown || !viewer) return null
  return <shown.Body viewer={viewer} onClose={shown.answer} />
}
