/**
 * Compares two folders of responses that tests recorded with KITH_WIRE_RECORD: `node scripts/compare-wire.ts
 * before after`. Exits with 1 when they differ.
 */
import { globSync, readFileSync } from 'node:fs'

function read(folder: string): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>()
  for (const file of globSync(`${folder}/*.json`))
    for (const [name, places] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object)) {
      const known = all.get(name) ?? new Set()
      all.set(name, known)
      for (const place of places as string[]) known.add(place)
    }
  return all
}

const [before, after] = process.argv.slice(2).map(read)
if (!before?.size || !after?.size) {
  console.error('Say two folders that hold records.')
  process.exit(2)
}
let differences = 0
const tell = (line: string) => {
  differences += 1
  console.log(line)
}
for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
  const [old, now] = [before.get(name), after.get(name)]
  if (!old || !now) tell(`${old ? '-' : '+'} ${name}`)
  else {
    for (const place of old) if (!now.has(place)) tell(`- ${name}: ${place}`)
    for (const place of now) if (!old.has(place)) tell(`+ ${name}: ${place}`)
  }
}
console.log(`${before.size} kinds of replies before, ${after.size} after, ${differences} differences`)
process.exit(differences > 0 ? 1 : 0)
