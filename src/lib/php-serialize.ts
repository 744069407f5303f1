export type PhpValue = null | boolean | number | string | PhpValue[] | { [key: string]: PhpValue }

/**
 * Returns undefined for invalid text, and for objects and references, which imported settings do not contain.
 */
export function readPhp(text: string): PhpValue | undefined {
  const bytes = Buffer.from(text)
  let at = 0
  const fail = (): never => {
    throw new SyntaxError('not a serialized value')
  }
  const until = (end: string) => {
    const stop = bytes.indexOf(end, at)
    if (stop < 0) return fail()
    const found = bytes.toString('utf8', at, stop)
    at = stop + end.length
    return found
  }
  const expect = (given: string) => {
    if (bytes.toString('utf8', at, at + given.length) !== given) fail()
    at += given.length
  }
  const integer = (end: string) => {
    const given = until(end)
    return /^-?\d+$/.test(given) ? Number(given) : fail()
  }
  // PHP counts the length of a string in bytes.
  const string = () => {
    const length = integer(':')
    expect('"')
    const found = bytes.toString('utf8', at, at + length)
    at += length
    expect('";')
    return found
  }
  const array = (depth: number): PhpValue => {
    const size = integer(':')
    expect('{')
    const entries: [string | number, PhpValue][] = []
    for (let index = 0; index < size; index += 1) {
      const key = value(depth + 1)
      if (typeof key !== 'string' && typeof key !== 'number') return fail()
      entries.push([key, value(depth + 1)])
    }
    expect('}')
    return entries.every(([key], index) => key === index)
      ? entries.map(([, each]) => each)
      : Object.fromEntries(entries)
  }
  const value = (depth: number): PhpValue => {
    if (depth > 50) return fail()
    const kind = bytes.toString('latin1', at, at + 2)
    at += 2
    if (kind === 'N;') return null
    if (kind === 'b:') return integer(';') === 1
    if (kind === 'i:') return integer(';')
    if (kind === 'd:') return Number(until(';'))
    if (kind === 's:') return string()
    return kind === 'a:' ? array(depth) : fail()
  }
  try {
    const found = value(0)
    return at === bytes.length ? found : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
