import { pathToFileURL } from 'node:url'

export const END = 'end of '

/**
 * A module that runs test files one after another in one process, which compiles the sources once. Each file is a
 * separate suite. Its hooks run only for its tests, its `after` hooks run before the next file loads, and a file
 * that throws fails alone. The test `END + file` reports the time of the file with loading as a diagnostic.
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
