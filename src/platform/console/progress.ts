import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Text } from '#platform/errors.ts'

/** How far the build of the console is; `reason` says in a sentence why it failed. */
export type Progress = { phase: 'waiting' | 'installing' | 'building' | 'failed'; reason?: string }

const fileIn = (dataDir: string) => join(dataDir, 'console-build.json')

/** Keeps how far it is where every process of the server finds it. */
export function writeProgress(dataDir: string, progress: Progress): void {
  writeFileSync(fileIn(dataDir), JSON.stringify(progress))
}

const noted = new Map<string, Progress>()

/** Keeps in this process how far it is: the disk may be full. */
export const noteProgress = (dataDir: string, progress: Progress) => void noted.set(dataDir, progress)

/** How far the build is; waiting where none has said anything yet. */
export function readProgress(dataDir: string): Progress {
  const known = noted.get(dataDir)
  if (known) return known
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Progress
  } catch {
    return { phase: 'waiting' }
  }
}

/** Why a step failed, told in a sentence. */
export const FAULTS = {
  npm: { en: 'npm was not found', zh: '找不到 npm' },
  install: { en: "the console's packages could not be installed", zh: '无法安装控制台所需的软件包' },
  build: { en: 'the console could not be built', zh: '控制台构建失败' },
  ended: { en: 'the build of the console ended before its time', zh: '控制台构建意外终止' },
  folder: { en: 'the folder of the console cannot be written to', zh: '控制台目录不可写' },
} satisfies Record<string, Text>
