export { deleteLinks, listLinked } from './service.ts'
