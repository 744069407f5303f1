export const SIZES = {
  small: {
    people: 2_000,
    topics: 200,
    feeds: 10_000,
    comments: 50_000,
    songs: 1_000,
    news: 1_000,
    questions: 1_000,
    remarks: 4_000,
  },
  large: {
    people: 100_000,
    topics: 2_000,
    feeds: 1_000_000,
    comments: 5_000_000,
    songs: 100_000,
    news: 100_000,
    questions: 50_000,
    remarks: 1_000_000,
  },
  huge: {
    people: 1_000_000,
    topics: 20_000,
    feeds: 10_000_000,
    comments: 10_000_000,
    songs: 100_000,
    news: 100_000,
    questions: 50_000,
    remarks: 1_000_000,
  },
  'media-small': {
    people: 2_000,
    topics: 200,
    feeds: 10_000,
    comments: 20_000,
    songs: 1_000,
    news: 1_000,
    questions: 1_000,
    remarks: 10_000,
  },
  media: {
    people: 2_000,
    topics: 200,
    feeds: 10_000,
    comments: 20_000,
    songs: 100_000,
    news: 100_000,
    questions: 1_000,
    remarks: 1_000_000,
  },
} as const

export type Size = {
  people: number
  topics: number
  feeds: number
  comments: number
  songs: number
  news: number
  questions: number
  remarks: number
}
