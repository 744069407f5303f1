export { exportAllNews } from './exports/service.ts'
export { newsImporter } from './imports/service.ts'
export { hitsOf, newsCounters } from './queries.ts'
