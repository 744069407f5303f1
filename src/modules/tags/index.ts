export { tagged, tagPeople, tagTables } from './imports/thinksns.ts'
export { findTags, importTags, tagsByName } from './queries.ts'
export { Tag } from './schema.ts'
