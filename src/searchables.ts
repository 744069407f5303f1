import { userSearch } from '#modules/accounts/search.ts'
import { feedSearch } from '#modules/feeds/search.ts'
import { groupSearch } from '#modules/groups/search.ts'
import { songSearch } from '#modules/music/search.ts'
import { newsSearch } from '#modules/news/search.ts'
import { questionSearch } from '#modules/questions/search.ts'
import { topicSearch } from '#modules/topics/search.ts'

/** Everything that `GET /search` looks through, in the order of its reply. */
export const SEARCHABLES = [
  userSearch,
  feedSearch,
  topicSearch,
  newsSearch,
  questionSearch,
  groupSearch,
  songSearch,
]
