export { mountCollections } from './mount.ts'
export {
  andAfterCollected,
  type CollectionRow,
  collectedBy,
  collectionsRecount,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
} from './queries.ts'
