export { findNews, type NewsDetailRow, type NewsRecord, setRecommended } from './articles/queries.ts'
export { hitsOf, newsByIds, newsReader } from './articles/service.ts'
export {
  addCategory,
  changeCategory,
  forgetCategories,
  removeCategory,
} from './categories/service.ts'
export {
  addNews,
  announceNews,
  changeNews,
  getLocked,
  type NewsInput,
  publishNews,
  recycleNews,
  rejectNews,
  removeNews,
  settleDeletion,
} from './contributions/service.ts'
export { noSuchCategory, noSuchNews } from './errors.ts'
export { exportAllNews } from './exports/service.ts'
export { newsImporter } from './imports/service.ts'
export { NEWS_COMMENT } from './pins/queries.ts'
export { newsPins } from './pins/service.ts'
export { NewsTag, STATUS } from './schema.ts'
export { newsCounters } from './service.ts'
