/** A reason not to start that the operator can put right: told in one sentence, without a trace. */
export class StartFault extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'StartFault'
  }
}

const DISK: Record<string, string> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'its disk quota is used up',
  EROFS: 'its disk is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
}

/** How programs that were started say the same. */
const WORDS: [RegExp, string][] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
]

/** What kept a start from writing to its data directory, as a sentence; anything else as it is. */
export function startFault(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  const found = DISK[code ?? ''] && syscall !== undefined ? code : code === '53100' ? 'ENOSPC' : undefined
  const reason = DISK[found ?? WORDS.find(([words]) => words.test(error.message))?.[1] ?? '']
  return reason === undefined
    ? error
    : new StartFault(`Kith cannot use its data directory ${dataDir}: ${reason}.`)
}
