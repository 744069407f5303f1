// Runs before dependencies are installed, so it is plain JavaScript for Node 20.
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP']

export async function withLock(folder, work) {
  const lock = join(folder, '.installing')
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  const leave = () => {
    rmSync(draft, { force: true })
    process.exit(130)
  }
  for (const signal of ENDING) process.on(signal, leave)
  try {
    for (;;) {
      try {
        linkSync(draft, lock)
        break
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
      if (isStale(lock)) rmSync(lock, { force: true })
      else await pause(200)
    }
    for (const signal of ENDING) process.off(signal, leave)
    try {
      removeDrafts(folder, draft)
      return await work()
    } finally {
      rmSync(lock, { force: true })
    }
  } finally {
    for (const signal of ENDING) process.off(signal, leave)
    rmSync(draft, { force: true })
  }
}

function removeDrafts(folder, own) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (/^\.installing\.\d+$/.test(name) && path !== own && isStale(path)) rmSync(path, { force: true })
  }
}

function isStale(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
