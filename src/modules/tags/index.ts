export { tagged, tagPeople, tagTables } from './imports/thinksns.ts'
export { detachAllTags, findTags, importTags, tagsByName } from './queries.ts'
export { Tag } from './schema.ts'
