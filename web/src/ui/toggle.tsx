import { useQueryClient } from '@tanstack/preact-query'
import type { LucideIcon } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { change, useWrite } from '../app/api.ts'
import { useSite, useViewer } from '../app/site.ts'
import { useToast } from '../app/toast.tsx'
import { compact } from '../app/words.ts'

type Ask = Parameters<typeof useWrite>[0]

/** Turns a flag of an object at once, and back when the server refuses. Guests are led to the sign-in. */
export function useToggle<T extends object>(
  isOne: (each: object) => each is T,
  {
    isOn,
    on,
    off,
    apply,
    changes = [],
  }: { isOn: boolean; on: Ask; off: Ask; apply(each: T, isOn: boolean): T; changes?: string[] },
) {
  const viewer = useViewer()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const { fail } = useToast()
  const write = useWrite<boolean>((api, wanted) => (wanted ? on : off)(api, undefined), { changes })
  return () => {
    if (!viewer) return navigate(`/sign-in?next=${encodeURIComponent(path)}`)
    if (write.isPending) return
    const undo = change(cache, isOne, (each) => apply(each, !isOn))
    write.mutate(!isOn, {
      onError: (error) => {
        undo()
        fail(error)
      },
    })
  }
}

/** A button below a text, with its number. */
export function Action({
  icon: Picture,
  label,
  count,
  isOn,
  kind,
  onClick,
}: {
  icon: LucideIcon
  label: string
  count?: number
  isOn: boolean
  kind: 'like' | 'collect' | 'reward'
  onClick(): void
}) {
  const { language } = useSite()
  return (
    <button
      type="button"
      class={`action is-${kind}`}
      aria-pressed={isOn}
      aria-label={count === undefined ? label : `${label} ${count}`}
      onClick={onClick}
    >
      <Picture size={20} aria-hidden />
      {count !== undefined && count > 0 && <span>{compact(count, language)}</span>}
    </button>
  )
}
