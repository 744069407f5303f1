import { readFile } from 'node:fs/promises'
import { type Anchor, verifyAuditChain } from '#modules/audit/index.ts'
import { type Environment, withContext } from './context.ts'

/** Reads the anchors in a text, such as the saved output of this command. */
const anchorsIn = (text: string): Anchor[] =>
  [...text.matchAll(/^anchor (\d+) ([0-9a-f]{64})$/gm)].map(([, position, hash = '']) => ({
    position: Number(position),
    hash,
  }))

/** `kith doctor audit [FILE]`: exit code 1 when the audit log was changed. FILE holds anchors kept outside. */
export async function examineAudit(env: Environment, file?: string): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const kept = file === undefined ? [] : anchorsIn(await readFile(file, 'utf8'))
  if (file !== undefined && kept.length === 0) throw new Error(`${file} has no line "anchor POSITION HASH"`)
  return withContext(env, async ({ ctx }) => {
    const { records, waiting, redacted, anchor, faults } = await verifyAuditChain(ctx.sql, kept)
    for (const fault of faults) print(`✗ ${fault}`)
    if (faults.length === 0)
      print(
        `✓ ${records} records, none changed (${redacted} redacted by erasures, ${waiting} not linked yet)`,
      )
    if (faults.length === 0 && kept.length > 0) print(`✓ agrees with ${kept.length} anchors of ${file}`)
    if (anchor) print(`anchor ${anchor.position} ${anchor.hash}`)
    return faults.length === 0 ? 0 : 1
  })
}
