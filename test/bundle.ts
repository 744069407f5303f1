import { pathToFileURL } from 'node:url'

/** A module that runs several test files in one process, which compiles all sources only once. */
export function importing(files: readonly string[]): string {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})\n`)
  // Without the hook the runner could take the first file's tests for all and finish early.
  return `import { before } from 'node:test'
const { promise, resolve } = Promise.withResolvers()
before(() => promise)
try {
${imports.join('')}} finally {
  resolve()
}
`
}
