export { findTags, importTags, tagsByName } from './queries.ts'
export { Tag } from './schema.ts'
