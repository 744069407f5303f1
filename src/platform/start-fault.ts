/** A reason not to start that the operator can fix, reported in one sentence without a trace. */
export class StartFault extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'StartFault'
  }
}

const MOVE = 'or set DATA_DIR to another folder'

/** Problems with the data directory, and their remedies. */
const DISK: Record<string, string> = {
  ENOSPC: `no space is left on its disk: make room, ${MOVE}`,
  EDQUOT: `its disk quota is used up: make room, ${MOVE}`,
  EROFS: `its disk is read-only: mount it for writing, ${MOVE}`,
  EACCES: `this user may not write there: give it to this user, ${MOVE}`,
  EPERM: `this user may not write there: give it to this user, ${MOVE}`,
  ENOENT: 'no folder can be made there: set DATA_DIR to another one',
  ENOTDIR: 'it is a file, or lies in one: set DATA_DIR to a folder',
}

/** Codes of a file in the place of a folder, or the reverse. */
const KINDS: Record<string, string> = {
  EISDIR: 'it is a folder and has to be a file',
  EEXIST: 'it is a file and has to be a folder',
  ENOTDIR: 'it is a file and has to be a folder',
}

/** The same problems in the messages of started programs. */
const WORDS: [RegExp, string][] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
]

/** Returns the problem of the data directory by the system's error code. */
export const dataDirFault = (code: string, dataDir: string): StartFault =>
  new StartFault(`Kith cannot use its data directory ${dataDir}: ${DISK[code] ?? `the system says ${code}`}.`)

/** Explains a failed write to the data directory; other errors stay as they are. */
export function startFault(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall, path } = error as NodeJS.ErrnoException
  // A database under promotion or shutdown leaves only the driver's code.
  if (/^CONNECTION_(DESTROYED|CLOSED|ENDED)$/.test(code ?? ''))
    return new StartFault(
      'The connection to the database broke while Kith started: start again when the database has a primary that answers.',
    )
  const kind = path === undefined ? undefined : KINDS[code ?? '']
  if (kind)
    return new StartFault(
      `Kith cannot use ${path}: ${kind}: move it away, or restore DATA_DIR from a backup.`,
    )
  // A missing socket belongs to a database that is restarting.
  const isOfDatabase = syscall === 'connect' && code === 'ENOENT'
  const isOfDisk = syscall !== undefined && !isOfDatabase && code !== undefined && code in DISK
  const found = isOfDisk ? code : code === '53100' ? 'ENOSPC' : undefined
  const known = found ?? WORDS.find(([words]) => words.test(error.message))?.[1]
  return known === undefined ? error : dataDirFault(known, dataDir)
}
