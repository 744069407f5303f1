import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Text } from '#platform/errors.ts'
import type { PackageName } from './folder.ts'

/** Progress of the build; `reason` explains a failure. */
export type Progress = { phase: 'waiting' | 'installing' | 'building' | 'failed'; reason?: string }

const fileIn = (dataDir: string, name: PackageName) => join(dataDir, `${name}-build.json`)

/** Stores the progress for every process of the server. */
export function writeProgress(dataDir: string, name: PackageName, progress: Progress): void {
  writeFileSync(fileIn(dataDir, name), JSON.stringify(progress))
}

const noted = new Map<string, Progress>()

/** Stores the progress in this process, because the disk may be full. */
export const recordProgress = (dataDir: string, name: PackageName, progress: Progress) =>
  void noted.set(fileIn(dataDir, name), progress)

/** Returns the progress of the build; `waiting` before the first report. */
export function readProgress(dataDir: string, name: PackageName): Progress {
  const known = noted.get(fileIn(dataDir, name))
  if (known) return known
  try {
    return JSON.parse(readFileSync(fileIn(dataDir, name), 'utf8')) as Progress
  } catch {
    return { phase: 'waiting' }
  }
}

/** The reason of a failure as a sentence. */
export const FAULTS = {
  npm: { en: 'npm was not found', zh: '找不到 npm' },
  install: { en: 'the packages could not be installed', zh: '无法安装所需的软件包' },
  build: { en: 'the pages could not be built', zh: '页面构建失败' },
  ended: { en: 'the build ended before its time', zh: '构建意外终止' },
  folder: { en: 'the folder cannot be written to', zh: '目录不可写' },
} satisfies Record<string, Text>
