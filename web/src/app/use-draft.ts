import { newKey } from '@kith/client'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isStill } from './account.ts'
import {
  draftKey,
  fittingFields,
  otherDrafts,
  readDraft,
  removeDraft,
  type Stored,
  takeDraft,
  thisTab,
  watchDrafts,
  writeDraft,
} from './drafts.ts'
import { isDecided } from './failures.ts'
import { useViewer } from './site.ts'

export type Draft<T> = {
  value: T
  mark: string
  /** Rises when the draft is loaded, taken from another tab or taken by one. */
  version: number
  isRestored: boolean
  /** False when the browser has no room for the draft. */
  isKept: boolean
  others: Stored<T>[]
  change(by: Partial<T> | ((value: T) => Partial<T>)): void
  /** Sends the draft with its mark. Empties the draft after success, and keeps it after a failure. */
  send<R>(act: (mark: string) => Promise<R>): Promise<R>
  clear(): void
  take(other: Stored<T>): void
  discard(other: Stored<T>): void
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Text of the viewer for one place, which survives reloads and visits to other pages. A place of null stores nothing.
 * `stored` leaves out what a reload loses anyway. A draft with another `base` changes a text that was saved since, so
 * it is offered, not restored.
 */
export function useDraft<T extends object>(
  place: string | null,
  empty: T,
  { stored = (value) => value, base = () => '' }: { stored?(value: T): T; base?(): string } = {},
): Draft<T> {
  const viewer = useViewer()
  const account = place === null ? 0 : (viewer?.id ?? 0)
  const [state, setState] = useState({
    value: empty,
    mark: '',
    version: 0,
    isTouched: false,
    isRestored: false,
  })
  const [others, setOthers] = useState<Stored<T>[]>([])
  const [isKept, setIsKept] = useState(true)
  const key = useRef('')
  const latest = useRef(state)
  latest.current = state
  const fresh = () => ({ value: empty, mark: newKey(), isTouched: true, isRestored: false })
  /** Makes room for another draft of this tab. The draft stays on offer. */
  const putAside = (draft: Omit<Stored<T>, 'key'>) =>
    writeDraft({ ...draft, key: draftKey(account, place ?? '', newKey()) })

  useLayoutEffect(() => {
    if (!account || place === null) return setState((old) => ({ ...old, mark: old.mark || newKey() }))
    const look = () => setOthers(otherDrafts(account, place, thisTab()))
    const load = () => {
      key.current = draftKey(account, place, thisTab())
      let own = readDraft<T>(key.current)
      if (own && own.base !== base() && putAside(own)) {
        removeDraft(key.current)
        own = null
      }
      setState(({ version }) => ({
        value: fittingFields(empty, own?.value),
        mark: own?.mark ?? newKey(),
        version: version + 1,
        isTouched: false,
        isRestored: own !== null,
      }))
      look()
    }
    load()
    const unwatch = watchDrafts((taken) => {
      if (taken === null) load()
      else if (taken === key.current) setState(({ version }) => ({ ...fresh(), version: version + 1 }))
      else look()
    })
    const onStorage = ({ newValue }: StorageEvent) => newValue === null && look()
    addEventListener('focus', look)
    addEventListener('storage', onStorage)
    return () => {
      unwatch()
      removeEventListener('focus', look)
      removeEventListener('storage', onStorage)
    }
  }, [account, place])

  useLayoutEffect(() => {
    if (!account || !state.isTouched || !isStill(account)) return
    const value = stored(state.value)
    if (isSame(value, stored(empty))) {
      removeDraft(key.current)
      return setIsKept(true)
    }
    const draft = { key: key.current, at: Date.now(), mark: state.mark, base: base(), value }
    setIsKept(writeDraft(draft))
  }, [state])

  function clear() {
    // The page may have closed the field already.
    if (key.current) removeDraft(key.current)
    setState((old) => ({ ...old, ...fresh() }))
  }

  return {
    value: state.value,
    mark: state.mark,
    version: state.version,
    isRestored: state.isRestored,
    isKept,
    others,
    change: (by) =>
      setState((old) => ({
        ...old,
        value: { ...old.value, ...(typeof by === 'function' ? by(old.value) : by) },
        isTouched: true,
      })),
    async send(act) {
      const { value, mark } = state
      try {
        const answer = await act(mark)
        // Keeps what the person typed while the request was under way.
        if (isSame(latest.current.value, value)) clear()
        else setState((old) => ({ ...old, mark: newKey(), isTouched: true }))
        return answer
      } catch (error) {
        // The mark of a refused request is used up. After a lost reply it stays, so that a retry is safe.
        if (isDecided(error)) setState((old) => ({ ...old, mark: newKey(), isTouched: true }))
        throw error
      }
    },
    clear,
    take(other) {
      const { value, mark } = state
      if (!isSame(stored(value), stored(empty)))
        putAside({ at: Date.now(), mark, base: base(), value: stored(value) })
      takeDraft(other.key)
      setState(({ version }) => ({
        value: fittingFields(empty, other.value),
        mark: other.mark,
        version: version + 1,
        isTouched: true,
        isRestored: true,
      }))
      setOthers(otherDrafts(account, place ?? '', thisTab()))
    },
    discard(other) {
      removeDraft(other.key)
      setOthers(otherDrafts(account, place ?? '', thisTab()))
    },
  }
}
