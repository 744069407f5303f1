import type { Kith } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useId, useState } from 'preact/hooks'
import { useSite } from '../app/site.ts'
import { useWords, words } from '../app/words.ts'
import { isComposing } from './keys.ts'

const WORDS = words({ list: ['Suggestions', '建议'] })

/**
 * A sign and the start of a name before the cursor. The sign may follow any character except a Latin letter or a digit,
 * because Chinese has no blanks and the sign of an e-mail address is no mention.
 */
const STARTED = /(?<![A-Za-z0-9\u00ad])([@＠#＃])([^\s@＠#＃/\u00ad]{1,48})$/u
const IN_URL = /https?:\/\/\S*$/i
const PAUSE_MS = 200
const MOST = 5

export type Named = { id: number; name: string }
type Sign = '@' | '#'

function startedAt(text: string, hasTopics: boolean): { sign: Sign; name: string } | null {
  const [whole = '', sign = '', name = ''] = STARTED.exec(text) ?? []
  if (!whole || IN_URL.test(text.slice(0, -whole.length))) return null
  if (sign === '@' || sign === '＠') return { sign: '@', name }
  return hasTopics ? { sign: '#', name } : null
}

async function find(api: Kith, typed: string): Promise<Named[]> {
  const query = { q: typed.slice(1), limit: MOST }
  const found: Named[] = typed.startsWith('@')
    ? await api.get('/users', { params: { query } })
    : await api.get('/feed/topics', { params: { query } })
  return found.map(({ id, name }) => ({ id, name }))
}

/** Suggests users after `@`, and topics after `#`. `start` is the position of the sign in the text. */
export function useCompletion(
  /** Text before the cursor. */
  text: string,
  hasTopics: boolean,
  choose: (chosen: Named & { sign: Sign }, start: number) => void,
) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const id = useId()
  const started = startedAt(text, hasTopics)
  const typed = started ? started.sign + started.name : ''
  const cache = useQueryClient()
  const [{ word, options }, setFound] = useState<{ word: string; options: Named[] }>({
    word: '',
    options: [],
  })
  const [at, setAt] = useState(0)
  const [closed, setClosed] = useState('')
  // Not a hook of the cache, because each field with text would then prepare a query in each rendered page.
  useEffect(() => {
    if (typed === '') return
    let isOver = false
    const timer = setTimeout(async () => {
      const options = await cache
        .fetchQuery({ queryKey: ['completion', typed], queryFn: () => find(api, typed) })
        .catch(() => [])
      if (!isOver) setFound({ word: typed, options })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [typed])
  const isOpen = started !== null && word === typed && word !== closed && options.length > 0
  const take = (option: Named) => {
    if (started) choose({ ...option, sign: started.sign }, text.length - typed.length)
    setClosed('')
    setAt(0)
  }
  /** Returns true if the key was for the list. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || isComposing(event)) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((at + step + options.length) % options.length)
    else if (event.key === 'Enter' || event.key === 'Tab') take(options[at] ?? (options[0] as Named))
    else if (event.key === 'Escape') setClosed(word)
    else return false
    event.preventDefault()
    return true
  }
  const list = isOpen && (
    <div class="popover completion" id={id} role="listbox" aria-label={t.list}>
      {options.map((option, n) => (
        <div
          key={option.id}
          role="option"
          dir="auto"
          tabIndex={-1}
          aria-selected={n === at}
          id={`${id}-${n}`}
          onMouseDown={(event) => {
            event.preventDefault()
            take(option)
          }}
        >
          {started.sign}
          {option.name}
        </div>
      ))}
    </div>
  )
  return {
    list,
    onKeyDown,
    attributes: {
      'aria-autocomplete': 'list' as const,
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': isOpen ? `${id}-${at}` : undefined,
    },
  }
}
