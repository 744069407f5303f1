export { collectionsRecount } from './counters.ts'
export { mountCollections } from './mount.ts'
export {
  andAfterCollected,
  type CollectionRow,
  collectedBy,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
} from './queries.ts'
