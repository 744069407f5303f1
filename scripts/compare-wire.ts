/**
 * Compares two folders of responses that tests recorded with KITH_WIRE_RECORD: `node scripts/compare-wire.ts
 * before after`. Groups the differences, because the tests of two versions differ too. Exits with 1 when a field is
 * missing or has another type.
 */
import { globSync, readFileSync } from 'node:fs'

/** Types by place, such as `.data[].id` → `number`, of each kind of reply. */
type Kinds = Map<string, Map<string, Set<string>>>

function read(folder: string): Kinds {
  const all: Kinds = new Map()
  for (const file of globSync(`${folder}/*.json`))
    for (const [name, lines] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object)) {
      const places = all.get(name) ?? new Map()
      all.set(name, places)
      for (const line of lines as string[]) {
        const end = line.lastIndexOf(' ')
        const place = line.slice(0, Math.max(end, 0))
        places.set(place, (places.get(place) ?? new Set()).add(line.slice(end + 1)))
      }
    }
  return all
}

const [before, after] = process.argv.slice(2).map(read)
if (!before?.size || !after?.size) {
  console.error('Say two folders that hold records.')
  process.exit(2)
}
const groups: Record<string, Map<string, string[]>> = {}
const note = (group: string, line: string, name: string) => {
  groups[group] ??= new Map()
  groups[group].set(line, [...(groups[group].get(line) ?? []), name])
}
/** Skips fields of objects that the other tests never saw, and invalid input fields, which each test names itself. */
function findFields(one: Kinds, other: Kinds, group: string) {
  for (const [name, places] of one)
    for (const place of places.keys()) {
      if (place.startsWith('.errors.')) continue
      const [object] = /^.*(?=\.[^.[]*$)/s.exec(place) ?? []
      const known = other.get(name)
      if (object !== undefined && known?.get(object)?.has('object') && !known.has(place))
        note(group, place, name)
    }
}
findFields(before, after, 'Missing fields')
for (const [name, places] of before)
  for (const [place, old] of places) {
    const now = after.get(name)?.get(place) ?? old
    const isChanged = old.symmetricDifference(now).size > 0
    const isOther = [old.difference(now), now.difference(old)].every(
      (types) => types.difference(new Set(['null'])).size > 0,
    )
    const line = `${place} ${[...old].sort().join('|')} → ${[...now].sort().join('|')}`
    if (isChanged) note(isOther ? 'Other types' : 'Types that only some tests see', line, name)
  }
findFields(after, before, 'New fields')
for (const name of new Set(before.keys()).symmetricDifference(after))
  note(`Replies seen only ${before.has(name) ? 'before' : 'after'}`, name.replace(/^\S+ \S+ /, ''), name)
for (const [group, lines] of Object.entries(groups)) {
  console.log(`\n${group}: ${lines.size}`)
  for (const [line, names] of [...lines].sort())
    console.log(`  ${line} (${names.length}, such as ${names[0]})`)
}
console.log(`\n${before.size} kinds of replies before, ${after.size} after`)
process.exit(groups['Missing fields'] || groups['Other types'] ? 1 : 0)
