export { collectionsRecount } from './counters.ts'
export { collectionTables } from './imports/thinksns.ts'
export { type CollectionOptions, mountCollections } from './mount.ts'
export {
  type CollectionPage,
  type CollectionRow,
  collectedBy,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
} from './queries.ts'
