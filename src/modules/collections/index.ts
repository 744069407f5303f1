export { collectionsRecount } from './counters.ts'
export { collectionTables } from './imports/thinksns.ts'
export { mountCollections } from './mount.ts'
export {
  type CollectionRow,
  collectedBy,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  isCollectedBy,
  listCollected,
  pastCollected,
} from './queries.ts'
