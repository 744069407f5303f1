import { parse } from 'regexparam'

/** Returns the parameters of a path that matches, otherwise null. */
export type Matcher = (path: string) => Record<string, string> | null

/** Compiles a pattern such as `/feeds/:feed`. */
export function matcherOf(route: string): Matcher {
  const { keys, pattern } = parse(route)
  return (path) => {
    const found = pattern.exec(path)
    return found && Object.fromEntries(keys.map((key, n) => [key, found[n + 1] ?? '']))
  }
}
