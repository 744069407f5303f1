import { pathToFileURL } from 'node:url'

/** A module that runs several test files in one process, which then reads all the sources but once. */
export function importing(files: readonly string[]): string {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})\n`)
  // Without the hook the tests of the first file might be over, and taken for all, before the second is read.
  return `import { before } from 'node:test'
const { promise, resolve } = Promise.withResolvers()
before(() => promise)
try {
${imports.join('')}} finally {
  resolve()
}
`
}
