export { findTags, importTags, Tag, tagsByName } from './tags.ts'
