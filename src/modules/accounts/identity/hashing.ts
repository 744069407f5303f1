import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Busy } from '#platform/errors.ts'

export type Passwords = {
  hash(password: string): Promise<string>
  verify(hashed: string | null, password: string): Promise<boolean>
}

// `@node-rs/argon2` defaults to argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hash of random bytes that are stored nowhere, with the same cost as hashes of real passwords. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$0SqXDJwNOKWgWPqcvjpZzA$HW9J2I4iGzPquGNFqPlqnU7PjFSSvQiV+32J1JNMIis'

export function createPasswords(
  { concurrency = availableParallelism(), maxWaiting = 200 } = {} as {
    concurrency?: number
    maxWaiting?: number
  },
): Passwords {
  const waiting: (() => void)[] = []
  let running = 0

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new Busy('too many passwords are waiting for verification')
      // A finished call passes its slot to the first queued call, so that newer calls cannot jump the queue.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    hash: (password) => limited(() => hash(normalize(password), cost)),
    verify: (hashed, password) =>
      limited(async () => {
        const matches = await matchesAny(hashed ?? dummyHash, password)
        return matches && hashed !== null
      }),
  }
}

const BCRYPT = /^\$2[abxy]\$/

/** Detects hashes of imported accounts. The user's next sign-in replaces such a hash. */
export const isForeignHash = (hashed: string) => !hashed.startsWith('$argon2id$')

/** Also tries the password without normalization, because other products hash the password as typed. */
async function matchesAny(hashed: string, password: string): Promise<boolean> {
  const check = BCRYPT.test(hashed)
    ? (await import('@node-rs/bcrypt')).verify
    : (given: string) => verify(hashed, given)
  const typed = [...new Set([normalize(password), password])]
  for (const given of typed) if (await check(given, hashed)) return true
  return false
}

/** Normalizes Unicode, because keyboards encode the same character differently. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

let shared = createPasswords()

export const hashesAtOnce = (processes: number, processors = availableParallelism()) =>
  Math.max(1, Math.floor(processors / processes))

/** Limits concurrent hashes per process, so that all processes together do not exceed the CPU cores. */
export function divideHashing(processes: number): void {
  shared = createPasswords({ concurrency: hashesAtOnce(processes) })
}

export function hashPassword(password: string): Promise<string> {
  return shared.hash(password)
}

/** Does the same work for `null`, so that the response time does not reveal whether an account exists. */
export function verifyPassword(hashed: string | null, password: string): Promise<boolean> {
  return shared.verify(hashed, password)
}
