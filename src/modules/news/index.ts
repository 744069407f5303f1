export { exportAllNews } from './exports/service.ts'
export { newsImporter } from './imports/service.ts'
export { hitsOf, newsCounters } from './queries.ts'
export { NEWS_SETTINGS } from './settings.ts'
