import { pathToFileURL } from 'node:url'

export const END = 'end of '

/**
 * Returns the source of a module that runs test files one after another in one process. One process compiles
 * the shared sources only once.
 */
export function importing(files: readonly string[]): string {
  return `import { describe, test } from 'node:test'
for (const [file, url] of ${JSON.stringify(files.map((file) => [file, pathToFileURL(file).href]))}) {
  globalThis.startTestFile?.(file)
  const started = performance.now()
  describe(file, async () => { await import(url) })
  await test(${JSON.stringify(END)} + file, (t) =>
    t.diagnostic('file ' + file + ' took ' + Math.round(performance.now() - started) + ' ms'))
}
`
}
