import { useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({ list: ['Suggestions', '建议'] })

const STARTED = /(?:^|\s)([@#])([^\s@#\u00ad]{1,50})$/u
const PAUSE_MS = 200
const MOST = 5

export type Chosen = { kind: '@' | '#'; id: number; name: string }
type Option = { id: number; name: string }

export function useCompletion(
  text: string,
  cursor: number,
  choose: (chosen: Chosen, started: number) => void,
) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const [, kind = '', given = ''] = STARTED.exec(text.slice(0, cursor)) ?? []
  const [word, setWord] = useState('')
  const [at, setAt] = useState(0)
  const [closed, setClosed] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWord(kind + given), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [kind + given])
  const { data: options = [] } = useQuery<Option[]>({
    queryKey: ['completion', word],
    enabled: word.length > 1,
    queryFn: async () => {
      const q = word.slice(1)
      const found: Option[] = word.startsWith('@')
        ? await api.get('/users', { params: { query: { q, limit: MOST } } })
        : await api.get('/feed/topics', { params: { query: { q, limit: MOST } } })
      return found.map(({ id, name }) => ({ id, name }))
    },
  })
  const isOpen = word === kind + given && word !== closed && options.length > 0
  const take = (option: Option) => {
    choose({ ...option, kind: kind as '@' }, cursor - given.length - 1)
    setClosed('')
    setAt(0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((at + step + options.length) % options.length)
    else if (event.key === 'Enter' || event.key === 'Tab') take(options[at] ?? (options[0] as Option))
    else if (event.key === 'Escape') setClosed(word)
    else return
    event.preventDefault()
  }
  const list = isOpen && (
    <div class="popover completion" id="completion" role="listbox" aria-label={t.list}>
      {options.map((option, n) => (
        <div
          key={option.id}
          role="option"
          tabIndex={-1}
          aria-selected={n === at}
          id={`completion-${n}`}
          onMouseDown={(event) => {
            event.preventDefault()
            take(option)
          }}
        >
          {kind}
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
      'aria-controls': isOpen ? 'completion' : undefined,
      'aria-activedescendant': isOpen ? `completion-${at}` : undefined,
    },
  }
}
