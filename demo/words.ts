import { readFileSync } from 'node:fs'
import type { Scene } from './pictures/photographs.ts'

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./words/${name}.json`, import.meta.url), 'utf8')) as T

export type Language = 'en' | 'zh'
type Named = readonly [name: string, description: string][]

export const PEOPLE =
  read<readonly { name: string; bio: string; location: string; sex: 0 | 1 | 2; speaks: Language }[]>('people')

export const TOPICS =
  read<Readonly<Record<string, { name: string; description: string; scene: Scene }>>>('topics')

type Publication = {
  speaks: Language
  text: string
  topics: readonly string[]
  scenes: readonly Scene[]
  replies: readonly string[]
}
export const FEEDS = read<readonly Publication[]>('feeds')

export const REMARKS = read<Readonly<Record<Language, readonly string[]>>>('remarks')

export const { sentences: CROWD, names: GIVEN } = read<{
  sentences: Readonly<
    Record<Language, { begins: readonly string[]; goes: readonly string[]; ends: readonly string[] }>
  >
  names: Readonly<Record<Language, readonly string[]>>
}>('crowd')

type Article = {
  speaks: Language
  category: string
  title: string
  subject: string
  scene: Scene
  content: string
}
export const {
  categories: CATEGORIES,
  articles: ARTICLES,
  contributions: CONTRIBUTIONS,
} = read<{ categories: readonly string[]; articles: readonly Article[]; contributions: readonly Article[] }>(
  'articles',
)

export const SONGS = read<readonly { title: string; singer: string; album: string; lyric: string }[]>('songs')

type Group = { name: string; category: string; summary: string; scene: Scene }
export const { groups: GROUPS, waiting: WAITING_GROUPS } = read<{
  groups: readonly (Group & {
    mode: 'public' | 'private' | 'paid'
    posts: readonly { speaks: Language; title: string; body: string }[]
  })[]
  waiting: readonly Group[]
}>('groups')

export const { topics: QUESTION_TOPICS, questions: QUESTIONS } = read<{
  topics: Named
  questions: readonly {
    speaks: Language
    topic: number
    subject: string
    body: string
    amount?: number
    answers: readonly string[]
    adopted?: boolean
  }[]
}>('questions')

export const {
  reasons: REASONS,
  topics: WAITING_TOPICS,
  feedback: FEEDBACK,
  appeals: APPEALS,
  toManagers: TO_MANAGERS,
} = read<{
  reasons: readonly string[]
  topics: Named
  feedback: readonly string[]
  appeals: readonly { speaks: Language; reason: string; contents: string }[]
  toManagers: readonly string[]
}>('queues')

export const { feeds: SOLD, answers: LOOKED_AT } = read<{
  feeds: readonly {
    speaks: Language
    text: string
    amount: number
    sells: 'text' | 'picture'
    scene: Scene
  }[]
  answers: { speaks: Language; subject: string; body: string; answer: string; comment: string }
}>('sold')
