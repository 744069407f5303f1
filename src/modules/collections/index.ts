export { collectionsRecount } from './counters.ts'
export { collectionTables } from './imports/thinksns.ts'
export { mountCollections } from './mount.ts'
export {
  type CollectionRow,
  collectedAmong,
  collectedBy,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
  pastCollected,
} from './queries.ts'
