export { listLinked } from './queries.ts'
export { deleteLinks } from './service.ts'
