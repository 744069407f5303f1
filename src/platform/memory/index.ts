export { countView, defineBufferedCounts } from './buffered-counts.ts'
export { defineCache } from './cache.ts'
export { cacheCostly } from './costly-cache.ts'
export { defineFragments } from './fragments.ts'
