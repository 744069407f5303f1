/** Stops at once, with a way out, when this is a Node that cannot run Kith. */
export function requireRuntime(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  console.error('wrong node')
  process.exit(1)
}
