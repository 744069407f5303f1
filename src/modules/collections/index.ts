export {
  andAfterCollected,
  type CollectionRow,
  collectionsRecount,
  deleteCollectionsOf,
  findCollected,
  isCollected,
  listCollected,
  mountCollections,
  selectCollected,
} from './mount.ts'
