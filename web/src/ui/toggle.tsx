import { useQueryClient } from '@tanstack/preact-query'
import type { LucideIcon } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { change, useWrite } from '../app/api.ts'
import { useSite, useViewer } from '../app/site.ts'
import { useToast } from '../app/toast.tsx'
import { compact } from '../app/words.ts'

type Ask = Parameters<typeof useWrite>[0]

/**
 * Toggles a flag at once and reverts it when the server rejects the change. After clicks during a request,
 * sends the last state when the request ends.
 */
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
  const pressed = useRef<boolean | undefined>(undefined)
  const show = (state: boolean) => change(cache, isOne, (each) => apply(each, state))
  const send = async (saved: boolean) => {
    let confirmed = saved
    try {
      while (pressed.current !== confirmed) {
        const wanted = pressed.current === true
        await write.mutateAsync(wanted)
        confirmed = wanted
      }
    } catch (error) {
      if (pressed.current !== confirmed) show(confirmed)
      fail(error)
    } finally {
      pressed.current = undefined
    }
  }
  return () => {
    if (!viewer) return navigate(`/sign-in?next=${encodeURIComponent(path)}`)
    const isIdle = pressed.current === undefined
    const before = pressed.current ?? isOn
    pressed.current = !before
    show(!before)
    if (isIdle) void send(before)
  }
}

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
