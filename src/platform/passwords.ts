import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Busy } from '#platform/errors.ts'

export type Passwords = {
  hash(password: string): Promise<string>
  verify(hashed: string | null, password: string): Promise<boolean>
}

// argon2id is the library's default algorithm.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of 32 random bytes that were thrown away, with the same cost as real ones. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$0SqXDJwNOKWgWPqcvjpZzA$HW9J2I4iGzPquGNFqPlqnU7PjFSSvQiV+32J1JNMIis'

/**
 * Hashes passwords with at most `concurrency` running and `maxWaiting` queued, then `Busy`.
 */
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
      if (waiting.length >= maxWaiting) throw new Busy('too many passwords are waiting to be checked')
      // Hands the slot over directly, so that a newcomer cannot overtake.
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

/** Returns whether a hash has a foreign format. The next sign-in replaces it. */
export const isForeignHash = (hashed: string) => !hashed.startsWith('$argon2id$')

/**
 * Other products hash the password as typed; bcrypt reads its first 72 bytes. Only sites with imported
 * accounts load it.
 */
async function matchesAny(hashed: string, password: string): Promise<boolean> {
  const check = BCRYPT.test(hashed)
    ? (await import('@node-rs/bcrypt')).verify
    : (given: string) => verify(hashed, given)
  const typed = [...new Set([normalize(password), password])]
  for (const given of typed) if (await check(given, hashed)) return true
  return false
}

/** Normalizes code points, because keyboards encode the same password differently. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

let shared = createPasswords()

/** Passwords that each of several processes of one machine hashes at once: its share of the processors. */
export const hashesAtOnce = (processes: number, processors = availableParallelism()) =>
  Math.max(1, Math.floor(processors / processes))

/** Limits concurrent hashes to the share of the CPU cores that each server process has. */
export function divideHashing(processes: number): void {
  shared = createPasswords({ concurrency: hashesAtOnce(processes) })
}

/** Returns an argon2id hash in PHC form; throws `Busy` when too many wait. */
export function hashPassword(password: string): Promise<string> {
  return shared.hash(password)
}

/** Returns false for `null` after the same work, so that timing does not reveal whether an account exists. */
export function verifyPassword(hashed: string | null, password: string): Promise<boolean> {
  return shared.verify(hashed, password)
}
