/** Startup error that the operator can fix. The command prints its message without a stack trace. */
export class StartFault extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'StartFault'
  }
}

const MOVE = 'or set DATA_DIR to another folder'

const DISK: Record<string, string> = {
  ENOSPC: `no space is left on its disk: free some space, ${MOVE}`,
  EDQUOT: `its disk quota is used up: free some space, ${MOVE}`,
  EROFS: `its disk is read-only: mount it for writing, ${MOVE}`,
  EACCES: `this user may not write there: make this user its owner, ${MOVE}`,
  EPERM: `this user may not write there: make this user its owner, ${MOVE}`,
  ENOENT: 'no folder can be created there: set DATA_DIR to another one',
  ENOTDIR: 'it is a file, or its path contains one: set DATA_DIR to a folder',
}

const KINDS: Record<string, string> = {
  EISDIR: 'it is a folder, but must be a file',
  EEXIST: 'it is a file, but must be a folder',
  ENOTDIR: 'it is a file, but must be a folder',
}

/** Recognizes disk errors in the output of child processes, because this output contains no error code. */
const WORDS: [RegExp, string][] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
]

export const dataDirFault = (code: string, dataDir: string): StartFault =>
  new StartFault(
    `Kith cannot use its data directory ${dataDir}: ${DISK[code] ?? `the system reports ${code}`}.`,
  )

export function startFault(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall, path } = error as NodeJS.ErrnoException
  // An open connection to the database broke, for example because the database was promoted or shut down.
  if (/^CONNECTION_(DESTROYED|CLOSED|ENDED)$/.test(code ?? ''))
    return new StartFault(
      'The connection to the database broke while Kith started. Start again when the primary of the database is reachable.',
    )
  if (['57014', '55P03', '57P03', 'CONNECT_TIMEOUT'].includes(code ?? '') || error.name === 'Busy')
    return new StartFault(
      `The database answered too slowly while Kith started (${error.message}). Start again when it has less to do.`,
    )
  const kind = path === undefined ? undefined : KINDS[code ?? '']
  if (kind)
    return new StartFault(
      `Kith cannot use ${path}: ${kind}: move it away, or restore DATA_DIR from a backup.`,
    )
  // An error of `connect` with ENOENT means that the database's socket is missing, not a folder.
  const isOfDatabase = syscall === 'connect' && code === 'ENOENT'
  const isOfDisk = syscall !== undefined && !isOfDatabase && code !== undefined && code in DISK
  const found = isOfDisk ? code : code === '53100' ? 'ENOSPC' : undefined
  const known = found ?? WORDS.find(([words]) => words.test(error.message))?.[1]
  return known === undefined ? error : dataDirFault(known, dataDir)
}
