export { findTags } from './queries.ts'
export { Tag } from './schema.ts'
