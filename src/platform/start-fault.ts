/** A reason not to start that the operator can put right: told in one sentence, without a trace. */
export class StartFault extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'StartFault'
  }
}

const MOVE = 'or set DATA_DIR to another folder'

/** What keeps a process from its data directory, and what to do. */
const DISK: Record<string, string> = {
  ENOSPC: `no space is left on its disk: make room, ${MOVE}`,
  EDQUOT: `its disk quota is used up: make room, ${MOVE}`,
  EROFS: `its disk is read-only: mount it for writing, ${MOVE}`,
  EACCES: `this user may not write there: give it to this user, ${MOVE}`,
  EPERM: `this user may not write there: give it to this user, ${MOVE}`,
  ENOENT: 'no folder can be made there: set DATA_DIR to another one',
  ENOTDIR: 'it is a file, or lies in one: set DATA_DIR to a folder',
}

/** How programs that were started say the same. */
const WORDS: [RegExp, string][] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
]

/** Why the data directory cannot be used, by the code of the system. */
export const dataDirFault = (code: string, dataDir: string): StartFault =>
  new StartFault(`Kith cannot use its data directory ${dataDir}: ${DISK[code] ?? `the system says ${code}`}.`)

/** What kept a start from writing to its data directory, as a sentence; anything else as it is. */
export function startFault(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  // A socket that is not there is that of a database that is being started again.
  const isOfDatabase = syscall === 'connect' && code === 'ENOENT'
  const isOfDisk = syscall !== undefined && !isOfDatabase && code !== undefined && code in DISK
  const found = isOfDisk ? code : code === '53100' ? 'ENOSPC' : undefined
  const known = found ?? WORDS.find(([words]) => words.test(error.message))?.[1]
  return known === undefined ? error : dataDirFault(known, dataDir)
}
