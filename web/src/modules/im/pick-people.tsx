import type { Schema } from '@kith/client'
import { X } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { read, useRead } from '../../app/api.ts'
import { useWords, words } from '../../app/words.ts'
import { Avatar } from '../../ui/picture.tsx'

const WORDS = words({
  find: ['Find users by name', '按用户名查找'],
  found: ['Users found', '查找结果'],
  remove: ['Remove', '移除'],
})

const PAUSE_MS = 250
type Person = Schema<'User'>

export function PickPeople({
  chosen,
  without = [],
  onChange,
}: {
  chosen: Person[]
  without?: number[]
  onChange(chosen: Person[]): void
}) {
  const t = useWords(WORDS)
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { data: found = [] } = useRead(read('/users', { params: { query: { q: wanted, limit: 6 } } }), {
    enabled: wanted !== '',
  })
  const left = found.filter(({ id }) => !without.includes(id) && chosen.every((each) => each.id !== id))
  return (
    <>
      {chosen.length > 0 && (
        <ul class="tags">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <button
                type="button"
                class="chip"
                aria-label={`${t.remove}: ${name}`}
                onClick={() => onChange(chosen.filter((each) => each.id !== id))}
              >
                {name} <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <label>
        {t.find}
        <input
          type="search"
          dir="auto"
          autocomplete="off"
          maxLength={50}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {wanted !== '' && left.length > 0 && (
        <ul class="picks" aria-label={t.found}>
          {left.map((person) => (
            <li key={person.id}>
              <button
                type="button"
                class="pick"
                onClick={() => {
                  onChange([...chosen, person])
                  setText('')
                }}
              >
                <Avatar person={person} size={28} /> {person.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
