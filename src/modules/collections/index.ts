export {
  andAfterCollected,
  type CollectionRow,
  collectedBy,
  collectionsRecount,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
  mountCollections,
} from './mount.ts'
