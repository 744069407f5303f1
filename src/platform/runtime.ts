const oldest = 24

/** Ends the process with an explanation when it runs on a Node.js that the code is not made for. */
export function requireRuntime(): void {
  const fault = findRuntimeFault(process.versions.node)
  if (fault === null) return
  process.stderr.write(`kith: ${fault}\n`)
  process.exit(1)
}

/** What is wrong with a version of Node.js, and what to do; null when nothing is. */
export function findRuntimeFault(version: string): string | null {
  if (Number.parseInt(version, 10) >= oldest) return null
  return (
    `this is Node.js ${version}, but Kith needs ${oldest} or later. It brings its own as an optional dependency: ` +
    'run `npm ci --include=optional` and start it with `npm start` or `npx kith`, or install a newer Node.js.'
  )
}
